"""What is asked: one builder a source of items, read from top to bottom."""

from __future__ import annotations

from dmb.suites import banking77, cardinality, confidence_honesty, jsonl, order_stability, sms_spam
from dmb.suites.built import Builder

BUILDERS: dict[str, Builder] = {
    "banking77": Builder(version=1, build=banking77.build),
    "sms-spam": Builder(version=1, build=sms_spam.build),
    "cardinality": Builder(version=1, build=cardinality.build),
    "order-stability": Builder(version=1, build=order_stability.build),
    "confidence-honesty": Builder(version=1, build=confidence_honesty.build),
    "jsonl": Builder(version=1, build=jsonl.build),
}
