"""Subjects that pages of a world are about, with words of their own: the gold of keywords and segments.

The lists of Thai, English and Persian were written for phasa. Other languages deal their rarer words out to the topics.
"""

from __future__ import annotations

TOPICS = ("news", "travel", "education", "business", "health", "technology", "sport", "culture")

TOPIC_WORDS: dict[str, dict[str, str]] = {
    "th": {
        "news": "ข่าว นักข่าว รัฐบาล นายกรัฐมนตรี รัฐสภา เลือกตั้ง ตำรวจ ศาล ม็อบ ปฏิวัติ รัฐธรรมนูญ แถลงการณ์",
        "travel": "ท่องเที่ยว โรงแรม ทะเล เกาะ ภูเขา ชายหาด สนามบิน ตั๋ว รีสอร์ท น้ำตก เชียงใหม่ ภูเก็ต",
        "education": "มหาวิทยาลัย นักศึกษา ครู โรงเรียน หลักสูตร วิชา สอบ ปริญญา ห้องสมุด วิจัย อาจารย์ ทุน",
        "business": "ธุรกิจ ธนาคาร หุ้น ตลาด ลงทุน บริษัท ราคา กำไร เศรษฐกิจ ส่งออก สินค้า ภาษี",
        "health": "สุขภาพ โรงพยาบาล แพทย์ ยา โรค ผู้ป่วย วัคซีน อาหาร ออกกำลังกาย สมุนไพร พยาบาล ผ่าตัด",
        "technology": "คอมพิวเตอร์ อินเทอร์เน็ต โทรศัพท์ ซอฟต์แวร์ โปรแกรม เว็บไซต์ ข้อมูล เครือข่าย ดาวน์โหลด กล้อง จอ เกม",
        "sport": "ฟุตบอล นักเตะ แชมป์ มวย สนาม ทีม โค้ช ประตู แข่งขัน เหรียญ วอลเลย์บอล ลีก",
        "culture": "วัฒนธรรม วัด พระ ดนตรี ภาพยนตร์ เพลง ศิลปะ นิยาย ประเพณี สงกรานต์ ละคร พิพิธภัณฑ์",
    },
    "en": {
        "news": "news government minister parliament election police court protest reporter statement policy crisis",
        "travel": "travel hotel beach island airport ticket resort waterfall temple tour guide flight",
        "education": "university student teacher school course exam degree library research professor scholarship",
        "business": "business bank stock market investment company price profit economy export product tax",
        "health": "health hospital doctor medicine disease patient vaccine nutrition exercise herb nurse surgery",
        "technology": "computer internet phone software program website data network download camera screen game",
        "sport": "football player champion boxing stadium team coach goal match medal volleyball league",
        "culture": "culture temple monk music film song art novel tradition festival drama museum",
    },
    "fa": {
        "news": "خبر دولت رئیس مجلس انتخابات پلیس دادگاه وزیر خبرنگار بیانیه سیاست بحران",
        "travel": "سفر هتل ساحل جزیره فرودگاه بلیت کوه آبشار اصفهان شیراز گردشگری تور",
        "education": "دانشگاه دانشجو معلم مدرسه درس امتحان کتابخانه پژوهش استاد بورس آموزش دبیرستان",
        "business": "بازار بانک سهام بورس سرمایه شرکت قیمت سود اقتصاد صادرات کالا مالیات",
        "health": "سلامت بیمارستان پزشک دارو بیماری بیمار واکسن تغذیه ورزش گیاه پرستار جراحی",
        "technology": "رایانه اینترنت تلفن نرم‌افزار برنامه وبگاه داده شبکه دانلود دوربین صفحه بازی",
        "sport": "فوتبال بازیکن قهرمان کشتی ورزشگاه تیم مربی گل مسابقه مدال والیبال لیگ",
        "culture": "فرهنگ مسجد شعر موسیقی فیلم ترانه هنر رمان سنت نوروز نمایش موزه",
    },
}
