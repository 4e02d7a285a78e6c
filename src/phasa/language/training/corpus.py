"""Labelled lines to learn from: what each public set calls a language, brought to one set of BCP 47 codes.

The sets (see the model card): FLORES-200, PersoArabicLID, Universal Dependencies, lingua's test data, Tatoeba, UDHR.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from phasa.language.scripts import count_scripts

SETS: dict[str, str] = {
    "flores": "lid-flores200/flores200-devtest.tsv.gz",
    "persoarabic": "lid-persoarabic/persoarabic.tsv.gz",
    "ud": "lid-ud/ud-text.tsv.gz",
    "lingua": "lid-lingua/lingua-sentences.tsv.gz",
    "pairs": "lid-lingua/lingua-word-pairs.tsv.gz",
    "words": "lid-lingua/lingua-single-words.tsv.gz",
    "tatoeba": "lid-tatoeba/tatoeba-short.tsv.gz",
    "udhr": "lid-udhr/udhr.tsv.gz",
}

# (set, class) whose lines may not be used commercially: they are never learned from, and so are a test of the model.
# The Urdu of Universal Dependencies is UD_Urdu-UDTB, CC BY-NC-SA 4.0.
NON_COMMERCIAL = {("ud", "ur")}

# ISO 639-3 (and the sets' own names) -> BCP 47. A code that is not here stands for itself.
_CODES_TEXT = """
acm=ar acq=ar aeb=ar ajp=ar apc=ar ara=ar arb=ar arl=- arq=ar ars=ar ary=ar arz=ar pes=fa prs=fa fas=fa pbt=ps
pbu=ps pus=ps uig=ug snd=sd kas=ks urd=ur tha=th lao=lo khm=km mya=my eng=en afr=af aka=ak als=sq sqi=sq amh=am
asm=as ayr=ay azj=az aze=az bak=ba bam=bm bel=be ben=bn bod=bo bos=bs bre=br bul=bg cat=ca ces=cs cha=ch chm=mhr
chv=cv cmn=zh zho=zh cor=kw cym=cy dan=da deu=de div=dv dzo=dz ell=el epo=eo est=et eus=eu ewe=ee fao=fo fij=fj
fin=fi fra=fr fry=fy fuv=ff gaz=om gla=gd gle=ga glg=gl grn=gn gug=gn guj=gu hat=ht hau=ha hbs=sh heb=he hin=hi
hrv=hr hun=hu hye=hy ibo=ig ido=io ile=ie ina=ia ind=id isl=is ita=it jav=jv jpn=ja kan=kn kat=ka kaz=kk khk=mn
mon=mn kik=ki kin=rw kir=ky knc=kr kon=kg kor=ko kur=- lat=la lav=lv lvs=lv lim=li lin=ln lit=lt ltz=lb lug=lg
mal=ml mar=mr mkd=mk mlt=mt mri=mi msa=ms zsm=ms npi=ne nep=ne nld=nl nno=nn nob=nb nor=nb nya=ny oci=oc ory=or
pan=pa plt=mg pol=pl por=pt que=qu quy=qu roh=rm ron=ro run=rn rus=ru sag=sg san=sa sin=si slk=sk slv=sl sme=se
smo=sm sna=sn som=so sot=st spa=es srd=sc src=sc srp=sr ssw=ss sun=su swa=sw swh=sw swe=sv tam=ta tat=tt tel=te
tgk=tg tgl=tl tir=ti ton=to tsn=tn tso=ts tuk=tk tur=tr twi=ak ukr=uk uzb=uz uzn=uz vie=vi vol=vo wln=wa wol=wo
xho=xh yid=yi ydd=yi yor=yo zul=zu toki=tok lld=lld
"""
_CODES: dict[str, str] = dict(pair.split("=") for pair in _CODES_TEXT.split())

# Scripts a language is usually written in; a line in another script makes a class of its own (`ace-Arab`).
_USUAL_TEXT = """
fa=Arab ar=Arab ur=Arab ps=Arab ug=Arab sd=Arab ks=Arab ckb=Arab azb=Arab glk=Arab mzn=Arab bal=Arab brh=Arab
hac=Arab trw=Arab ota=Arab skr=Arab pnb=Arab mly=Arab sr=Cyrl kk=Cyrl ky=Cyrl tg=Cyrl mn=Cyrl ba=Cyrl tt=Cyrl
bua=Cyrl mhr=Cyrl sh=Latn uz=Latn az=Latn tk=Latn ace=Latn bjn=Latn kmr=Latn min=Latn tzm=Tfng bs=Latn jv=Latn
taq=Latn ber=Latn hoc=Wara knc=Latn kr=Latn lad=Latn lfn=Latn ja=Kana
"""
_USUAL: dict[str, str] = dict(pair.split("=") for pair in _USUAL_TEXT.split())
# Scripts in which a set's label is not to be believed, or too rare to learn.
_SKIP = {"ja-Latn", "zh-Latn", "ko-Hani", "ur-Latn"}


class Line(NamedTuple):
    """One labelled line: where it is from, its class, its text."""

    source: str
    label: str
    text: str


def main_script(text: str) -> str:
    """The script of most of a text's letters; Zyyy when it has none."""
    counts = count_scripts(text)
    return max(counts, key=counts.__getitem__) if counts else "Zyyy"


def class_of(label: str, script: str) -> str | None:
    """The class for a set's label on a line in this script; None when the line is no use."""
    language = label.split("_")[0]
    code = _CODES.get(language, language)
    if code == "-" or code.isdigit() or script == "Zyyy":
        return None
    if code == "zh":
        hant = "Hant" in label or "hant" in label
        return ("zh-Hant" if hant else "zh") if script == "Hani" else None
    if code in ("yue", "wuu"):
        return code if script == "Hani" else None
    if code == "ja":
        return "ja" if script in ("Kana", "Hani") else None
    usual = _USUAL.get(code)
    if usual is None or usual == script:
        return code
    name = f"{code}-{script}"
    return None if name in _SKIP else name


def read_set(data: Path, source: str) -> Iterator[Line]:
    """The usable lines of one set."""
    with gzip.open(data / SETS[source], "rt", encoding="utf-8") as lines:
        for line in lines:
            label, _, text = line.rstrip("\n").partition("\t")
            name = class_of(label, main_script(text))
            if name is not None and text:
                yield Line(source, name, text)
