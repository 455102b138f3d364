"""Ways in which people ask for a kind of information about a topic.

The questions of MedQuAD follow a few patterns; real questions do not.
"""

import random

_ASKED = {
    "symptoms": (
        "how do I know if I have {topic}", "what does {topic} feel like",
        "signs of {topic} in a {who}", "what happens to somebody with {topic}",
        "Could this be {topic}? What would I notice?", "{topic} symptoms",
    ),
    "treatment": (
        "how do you treat {topic}", "what can be done about {topic}",
        "My {who} was told it is {topic}. Is there a cure or some medicine that helps?",
        "best therapy for {topic}", "{topic} treatment", "how to get rid of {topic}",
    ),
    "causes": (
        "why do people get {topic}", "what brings on {topic}",
        "My {who} has {topic} and we do not understand where it came from.",
        "reason for {topic}", "{topic} causes",
    ),
    "information": (
        "tell me about {topic}", "what exactly is {topic}", "{topic}",
        "I just read the name {topic} in a report of my {who}. Please explain what it means.",
        "need information on {topic}", "meaning of {topic}",
    ),
    "inheritance": (
        "can {topic} be passed on to my children", "does {topic} run in families",
        "My {who} has {topic}. Will I get it as well?", "is {topic} hereditary",
    ),
    "frequency": ("how common is {topic}", "how many people have {topic}", "is {topic} rare"),
    "genetic changes": ("which gene causes {topic}", "what mutation is behind {topic}"),
    "exams and tests": (
        "how is {topic} diagnosed", "which test shows {topic}",
        "The doctor suspects {topic} in my {who}. What tests will be done?",
    ),
    "prevention": ("how can I avoid {topic}", "can {topic} be prevented"),
    "susceptibility": ("who gets {topic}", "am I at risk of {topic}"),
    "outlook": ("how long do people with {topic} live", "will my {who} with {topic} get better"),
    "complications": ("what can {topic} lead to", "is {topic} dangerous"),
    "considerations": ("what should someone with {topic} know",),
    "research": ("new studies on {topic}", "are there clinical trials for {topic}"),
    "stages": ("what are the stages of {topic}", "how is {topic} staged"),
    "support groups": ("where can families with {topic} get help",),
}  # fmt: skip
_WHO = "mother father son daughter sister brother husband wife friend baby child uncle".split()
_AROUND = (
    "Hello, I hope that you can help me.", "I am {age} years old.", "Thanks in advance.",
    "We have seen three doctors already.", "I am very worried about this.", "Please answer soon.",
    "It started about {age} days ago.", "I live far from the next hospital.",
    "My {who} takes tablets for high blood pressure too.", "Any help would be appreciated.",
    "I have looked on the internet but could not find it.", "Thank you!",
)  # fmt: skip


def reworded_question(topic: str, kind: str, rng: random.Random) -> str | None:
    """A question for a kind of information (MedQuAD's ``qtype``) on a topic, in other words.

    One in three is a whole message. None for a kind without other wordings.
    """
    ways = _ASKED.get(kind)
    if not ways:
        return None
    who = rng.choice(_WHO)
    question = rng.choice(ways).format(
        topic=topic if rng.random() < 0.7 else topic.lower(), who=who
    )
    if rng.random() < 0.66:
        return question
    question = question[0].upper() + question[1:]
    question += "" if question[-1] in ".?" else "?"
    around = [item.format(age=rng.randint(2, 80), who=who) for item in rng.sample(_AROUND, 3)]
    return " ".join([around[0], question, *around[1 : rng.randint(1, 3)]])
