"""What is missing, wrong or said twice? For those who look after the content."""

from firstline.questions.care.desk import CareDesk
from firstline.questions.care.faq_list import FaqList, no_such_answer
from firstline.questions.care.since import since_of, span_of, until_of

__all__ = ["CareDesk", "FaqList", "no_such_answer", "since_of", "span_of", "until_of"]
