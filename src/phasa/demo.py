"""`make demo`: what phasa does, on text that comes with it, in a few seconds and without a network."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from phasa.language.detect import detect
from phasa.language.segmenters import segmenter_for
from phasa.overview.overview import overview_of, read_content

TEXTS = [
    "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน",
    "زبان فارسی در ایران و افغانستان و تاجیکستان رسمی است",
    "اللغة العربية من أكثر اللغات انتشارا في العالم",
    "اردو پاکستان کی قومی زبان ہے اور بھارت میں بھی بولی جاتی ہے",
    "زمانی کوردی یەکێکە لە زمانە ئێرانییەکان",
    "ພາສາລາວເປັນພາສາທາງການຂອງປະເທດລາວ",
    "The web of one language is smaller than the web, and harder to find.",
    "12345 67890",
]
CUTS = ["ตากลมนั่งตากลมที่หน้าต่าง", "30บาทรักษาทุกโรคกลับมาอีกครั้ง email: info@example.co.th 😀"]
PAGE = """<html lang="th"><title>บัตรทองรักษาทุกโรค</title><body>
<nav><a href=/>หน้าแรก</a> <a href=/n>ข่าว</a></nav><article>
<h1>บัตรทองรักษาทุกโรคกลับมา</h1>
<p>กระทรวงสาธารณสุขประกาศว่าผู้ถือบัตรทองเข้ารักษาที่โรงพยาบาลของรัฐได้ทุกแห่งตั้งแต่ต้นปีหน้า โดยไม่ต้องมีใบส่งตัวจากคลินิกใกล้บ้าน</p>
<p>โรงพยาบาลใหญ่ในกรุงเทพมีผู้ป่วยมากขึ้นทุกปี ผู้ป่วยบัตรทองบางคนต้องรอนานหลายชั่วโมง โรงพยาบาลจึงขอให้นัดหมายล่วงหน้า</p>
<p>รัฐมนตรีกล่าวว่าโครงการบัตรทองจะใช้งบประมาณเพิ่มขึ้น และโรงพยาบาลเอกชนบางแห่งจะเข้าร่วมโครงการด้วย</p>
</article><footer>Copyright 2026</footer></body></html>"""


def main() -> None:
    """Print languages, words and an overview; leave the tag cloud as a file and name it."""
    console = Console()
    console.rule("[bold]1. Which language is this?   phasa detect")
    table = Table("text", "language", "score", "evidence")
    for text in TEXTS:
        verdict = detect(text)
        table.add_row(text[:48], verdict.language, f"{verdict.score:.2f}", verdict.evidence)
    console.print(table)

    console.rule("[bold]2. Where are its words?   phasa segment")
    for text in CUTS:
        console.print(text)
        console.print("  " + "|".join(segmenter_for("th").words(text)), style="green", markup=False)

    console.rule("[bold]3. What is this page about?   phasa overview")
    overview = overview_of([read_content(PAGE, "demo page")])
    for keyword in sorted(overview.lists[50], key=lambda word: -word.weight)[:8]:
        console.print(f"  {keyword.weight:.2f}  {keyword.term}")
    out = Path("demo")
    out.mkdir(exist_ok=True)
    cloud = out / "cloud.html"
    cloud.write_text(overview.html(), encoding="utf-8")
    console.print(f"\nThe variable tag cloud is in [bold]{cloud}[/bold]: open it in any browser, no network needed.")

    console.rule("[bold]On the real web")
    console.print("  phasa init thai-web --lang th --seeds my-seeds.txt --contact you@example.org")
    console.print("  phasa crawl thai-web --pages 1000")
    console.print("  phasa overview https://www.example.co.th/ --multi -o cloud.html")


if __name__ == "__main__":
    main()
