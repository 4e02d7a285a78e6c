"""Words that stand on web pages whatever those are about: buttons, forms, services. No keywords by themselves."""

from __future__ import annotations

import re

_WORDS = """
download downloads upload email e-mail mail tel phone telephone fax mobile facebook twitter youtube instagram line
google pinterest linkedin tiktok whatsapp telegram rss share shares like likes tweet follow login logout signin signup
register click read more home homepage menu search contact copyright rights reserved cookie cookies privacy policy
website site web webmaster page pages next previous back top print comment comments reply subscribe newsletter http
https www com html javascript browser password username account photo photos image images video videos update updated
ดาวน์โหลด อีเมล อีเมล์ โทร โทรศัพท์ โทรสาร แฟกซ์ มือถือ เฟสบุ๊ค เฟซบุ๊ก ทวิตเตอร์ ยูทูป แชร์ ไลค์ คลิก คลิ๊ก สำหรับ เรื่อง รายการ
อ่านต่อ หน้าแรก หน้าหลัก เมนู ค้นหา ติดต่อ สงวนลิขสิทธิ์ ลิขสิทธิ์ เว็บไซต์ เว็บไซด์ เว็บมาสเตอร์ เว็บ สมาชิก
สมัคร เข้าสู่ระบบ ลงทะเบียน รหัสผ่าน ล็อกอิน ความคิดเห็น ไปรษณีย์ หน้า ถัดไป ย้อนกลับ ทั้งหมด ดู รายละเอียด เพิ่มเติม
วันที่ เวลา น. จันทร์ อังคาร พุธ พฤหัสบดี ศุกร์ เสาร์ อาทิตย์ มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน
กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.
دانلود ایمیل تلفن فکس موبایل تماس ورود خروج عضویت ثبت‌نام صفحه خانه جستجو بیشتر ادامه اینستاگرام تلگرام فیسبوک
شنبه یکشنبه دوشنبه سه‌شنبه سهشنبه چهارشنبه پنجشنبه پنج‌شنبه جمعه فروردین اردیبهشت خرداد تیرماه مرداد شهریور آبان آذرماه
دیماه بهمن اسفند ساعت تاریخ
توییتر یوتیوب اشتراک نظر نظرات دیدگاه کاربر رمز سایت وب‌سایت وبسایت حقوق محفوظ کلیک منو چاپ
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december
"""
FURNITURE = frozenset(_WORDS.split())
_ADDRESS = re.compile(r"@|://|\.(?:com|net|org|info|html?|php|co|ac|go|or|in|th|ir|[a-z]{2})\b", re.IGNORECASE)


def is_furniture(term: str) -> bool:
    """Whether a term belongs to the web and not to what a page is about: a button's word, an address of web or mail."""
    return term in FURNITURE or _ADDRESS.search(term) is not None
