"""Detect sentences of a document that give orders to a model or its user (prompt injection).

``python -m benchmarks.poison`` measures the rules: the share that they catch of sentences that were
not used to write them, and how many ordinary sentences of health pages they stop. No pattern has
nested repeats, and every gap is bounded, so that time grows linearly with the length.
"""

import re
import unicodedata

from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import NOT
from anamnesis.language.text import straight

_MODEL = (
    r"(?:(?:large )?language models?|llms?|chat ?bots?|bots|gpt|(?:ai|a\.i\.|automated|virtual"
    rf"|digital) (?:{any_of('kind_of_model')})s?)"
)
_RULES = rf"(?:{any_of('rule')})"
_IGNORE = any_of("ignore", without="override bypass")
_OVERRIDE = (
    rf"(?:{any_of('ignore', 'ignoring', 'drop', without='forgetting')}"
    r"|pay no attention to|(?:stop|cease) (?:following|obeying)"
    rf"|(?:(?:do|must){NOT}|not|no longer|never) (?:follow|obey|heed|comply with|listen to))"
)
_OF_THE_MODEL = (
    rf"(?:{any_of('of_the_model')}|you(?:'ve)? (?:\w{{1,20}} ){{0,2}}(?:given|received|told|got)"
    r"|(?:given|gave|told) (?:to )?you)"
)
_USER = (
    r"(?:(?:the|every|each|any|all|this|your) (?:users?|readers?|asker|questioner|human|person"
    r" (?:who|that) (?:is )?ask(?:s|ing)|(?:patient|people|person)s? (?:who|that) asks?)"
    r"|whoever asks|anyone (?:who|that) asks)"
)
_SAY = rf"(?:{any_of('tell')})"

_PATTERNS = (
    # Earlier instructions are to be ignored.
    rf"\b{_OVERRIDE}\b.{{0,50}}\b{_OF_THE_MODEL}\b.{{0,30}}\b{_RULES}\b",
    rf"\b{_OVERRIDE}\b.{{0,30}}\b{_RULES}\b.{{0,40}}\b{_OF_THE_MODEL}\b",
    rf"\b(?:{any_of('ignore')}) (?:all |any |of |about )*(?:your|my|these"
    rf"|those|the|every) (?:\w{{1,20}} )?{_RULES}(?! (?:of|from|on|in|by|for) (?:your|the|a)\b)",
    rf"\b(?:{_IGNORE}) (?:all|everything|anything|what)\b.{{0,30}}\b(?:{any_of('said_before')})\b",
    r"\b(?:previous|prior|earlier|original"
    rf"|initial) (?:\w{{1,20}} )?{_RULES}\b.{{0,40}}\b(?:{any_of('revoked')})\b",
    rf"\byour (?:previous|new|real|only|next|true) (?:{any_of('task')}) (?:is|are|will)\b",
    r"\b(?:new|updated|revised|secret|hidden) (?:instructions?|prompt|rules|orders|directives?) ?:",
    r"\b(?:follow|obey) (?:these|the following|my|the new) (?:orders|commands|new )",
    rf"\b(?:{_IGNORE}|{any_of('ignoring')}) (?:all|everything|anything)\b.{{0,20}}"
    rf"\b(?:{any_of('seen_before')})\b",
    rf"\b(?:no|without(?: any)?) (?:ethical|moral|content|usage) {_RULES}\b",
    rf"\b(?:no longer|not) bound by\b|\b(?:answers?|responds?|replies) without {_RULES}\b",
    rf"\b(?:prioriti[sz]e|over|above|suspend|suspended) (?:my|any|all|every"
    rf"|internal) (?:\w{{1,20}} )?"
    rf"(?:safety|ethical|internal|system) {_RULES}\b|\bprioriti[sz]e my {_RULES}\b",
    r"\b(?:new|final|ultimate|higher-priority|overriding) (?:rule|command|instruction|directive) ?"
    r"(?::|is:|which|that supersedes)",
    # Text that the user is to be given.
    rf"\b{_SAY} (?:to )?(?:\w{{1,20}} ){{0,2}}{_USER}\b",
    rf"\b(?:when|whenever|if|every time|each time|as soon as)\b.{{0,25}}\b(?:{any_of('asker')}"
    r"|you are|you're)s?\b.{0,20}\b(?:asks|asked|mentions?"
    rf"|concerns?)\b.{{0,60}}\b(?:{any_of('what_to_do_then', 'tell')})\b",
    r"\b(?:your|the model's|the assistant's|the) (?:final )?(?:answer|reply|response|output"
    r"|summary)s? (?:must|should|shall|has to|have to|needs? to"
    rf"|will) (?:\w{{1,20}} )?(?:{any_of('in_a_reply')})\b",
    r"\b(?:in|within|into|of|with) your (?:next |final )?(?:answers?|reply|replies|response|output"
    r"|summary)\b",
    r"^\W*(?:please )?(?:answer|respond|reply)\b.{0,40}\b(?:with|only|yes|no|that|as|every)\b",
    r"(?:^|[:;.!?,] ?)(?:answer|reply|respond|output|print)(?: with)? ?[\"'“‘][a-z]",
    r"\b(?:to|for) (?:every|all|each|any) users?\b.{0,20}\b(?:whatever|regardless|always|that)\b",
    r"\b(?:whatever|regardless of|no matter what) (?:the|is|they|you)\b.{0,12}\b(?:question|asks?"
    r"|asked|read|query)\b",
    r"\bbefore (?:you |giving |)(?:answer|answering|respond|responding|reply|replying)\b",
    # A role for the model.
    r"\byou(?: are|'re) (?:now |no longer )?(?:an? |the |my )?(?:[\w-]{1,20} ){0,3}(?:ai"
    rf"|assistant|chatbot|dan|{_MODEL})\b",
    rf"\bas an? (?:ai|artificial intelligence|assistant|{_MODEL})\b",
    rf"\b(?:{any_of('mode')}) mode\b",
    r"\bjail ?break\b",
    rf"\b(?:{any_of('playing')})\b.{{0,60}}\b(?:without (?:any |all )*(?:rules|filters"
    r"|restrictions|limits|safety|guidelines|censorship)|not bound by|chatbot|unrestricted"
    rf"|{_MODEL})",
    r"\b(?:model|assistant|chatbot|ai|you)\b.{0,30}\b(?:without (?:any "
    r"|all )*(?:\w{1,20} )?(?:rules|filters|safety rules|guidelines)|do anything now)\b",
    r"\bfrom (?:now|here|this point) on\b.{0,12}\byou\b",
    r"\bact as (?:an? |the |my |if you were )(?:[\w-]{1,20} ){0,2}(?:who|that|doctor|pharmacist"
    r"|expert|terminal|interpreter)\b",
    # Text addressed to the model.
    rf"\b(?:{any_of('address', 'greeting')}|p\.s\.)\b.{{0,25}}{_MODEL}\b",
    rf"{_MODEL}\b.{{0,60}}\b(?:{any_of('what_a_model_does')})\b",
    r"\bthe (?:assistant|model|summari[sz]er|generator|verifier|critic)\b.{0,20}\b(?:must|shall"
    rf"|should|has to|will)(?: now| not| always| never)? (?:{any_of('reply_with')})\b",
    r"\bthe (?:assistant|model) (?:has no (?:limits|rules)|is ordered|that (?:summari[sz]es|reads"
    r"|answers))\b",
    r"(?:^|[.!?:;,] )(?:ai|assistant|chatbot|llm|gpt|bot)s?[,:] ?(?:please |you |now )?[a-z]",
    r"\b(?:as|i am|from|by|this is) (?:your|the) (?:developer|administrator|creator|operator|owner"
    r"|admin|programmer)s?\b",
    r"\b(?:administrator|admin|developer|operator|system|root)(?:'s)? (?:note|message|override"
    r"|command|notice|mode|prompt)\b",
    r"\b(?:switched|turned) off by the (?:administrator|operator|developer|system)",
    r"\b(?:openai|anthropic|the operator|the administrator|the developers?)"
    rf" (?:{any_of('have')})?\b"
    r".{0,20}\b(?:authori[sz]ed?|permits?|permitted|orders?|allows?|allowed|instructs?)\b",
    # Secrets that are to be revealed.
    rf"\b(?:{any_of('reveal')})\b.{{0,40}}\b(?:(?:your|the) (?:system |initial |original |hidden "
    rf"|secret |full ){{1,4}}{_RULES}|your {_RULES}|words above|text above|message above"
    r"|api[- ]?keys?|passwords?|environment variables?|(?:previous|other|last) users?)\b",
    r"\bsystem prompts?\b",
    r"\b(?:previous|other|last) user's?\b",
    r"\bsend (?:\w{1,20} ){1,4}to https?:",
    r"\bthe prompt (?:that )?you (?:just )?(?:received|were given)\b"
    r"|\binternal (?:configuration|instructions|rules)\b.{0,40}\b(?:prompt|reveal|output|print)\b",
    r"\bcode interpreter\b|\b(?:your|the) (?:web )?(?:search|browsing|browser|calculator|file|email"
    r"|internal) tool\b|\brm -rf\b|\bos\.system\b",
    r"\b(?:now|then|and),? tell me (?:how|the|what)\b",
)
# Chat template markers and imitations of them.
_MARKERS = (
    r"<\|[^|<>]{1,40}\|>",
    r"\[/?inst\]|<</?sys>>|</?s>|<(?:start|end)_of_turn>|<!--|<bos>|<eos>",
    r"##{1,4} ?(?:instructions?|response|system|human|assistant|user|input|prompt)\b",
    r"^\W*(?:system|assistant|human|developer|chatbot)(?: message)? ?:",
    r"\b(?:human|user|question) ?:.{0,300}\bassistant ?:",
    r"</?(?:documents?|context|instructions?|system|prompt|tool|tool_call|assistant|user|query|data"
    r"|answer|evidence)s?>",
    r"[\"'](?:role|verdict|tool|function|function_name|name|action|instruction|command|prompt"
    r"|override)\\?[\"'] ?: ?\\?[\"']",
    r"(?:\\{1,2}u[0-9a-f]{4}){3}|(?:&#x?[0-9a-f]{1,4};[a-z]{0,2}){3}",
    r"\[(?:system|assistant|admin)\]",
    r"\b(?:begin|end|start)(?: of)?(?: the)? (?:system|document|context|instructions?|prompt"
    r"|conversation|admin)\b(?: message| prompt|s)?\W*(?:$|\W{2}|now\b|the assistant\b)",
    r"\bbase64\b",
)
_ABOUT_THE_DOCUMENT = (
    # Orders about how to treat the document itself.
    rf"\b(?:{any_of('rate')})\b.{{0,40}}\b(?:{any_of('this_one')}) (?:\w{{1,20}} )?"
    rf"(?:{any_of('document_part', without='page text')})s?\b",
    rf"\b(?:this|the (?:next|following)) (?:{any_of('document_part', without='claim')})\b.{{0,40}}"
    r"\b(?:takes? precedence|overrides?|replaces? (?:all|them|the)"
    rf"|{any_of('trusted')})\b",
    rf"\bdo not (?:{any_of('check')})\b.{{0,40}}"
    rf"\b(?:(?:{any_of('document_part', without='passage record sentence page text')})s?|answer)\b",
    rf"\b(?:{any_of('judging')})\b.{{0,40}}\b(?:supported|entailed"
    r"|return true|must accept|probability of 1)\b",
    r"\bwhatever (?:you|it) (?:read|says?)\b",
)
# 'Ignore the instructions', 'tell the user' in other languages.
_OTHER_LANGUAGES = (
    r"(?:ignor(?:ier|a|e|uj|er)\w{0,5}|missacht\w{1,20}|vergiss|vergesst|oublie[zr]?"
    r"|n[ée]glige[zr]?|olvida\w{0,3}|dimentica\w{0,2}|esque[çc]\w{1,20}|negeer|vergeet"
    r"|zignoruj\w{0,20}|zapomnij|glöm|abaikan|lupakan|b[oỏ] qua|zapomeň|игнорируй\w{0,20}"
    r"|игноруй\w{0,20}|ігноруй\w{0,20}|забудь\w{0,20}|αγνόησ\w{1,20}|ξέχασε|התעלם|שכח|تجاهل|انس"
    r"|ignore todas)\W.{0,60}(?:anweisung|regeln|vorgaben|befehl|instruction|consigne|r[èe]gles"
    r"|directives|instruccion|reglas|istruzion|regole|instruç|regras|instructies|regels|instrukcj"
    r"|polece|instruktion|instruksi|perintah|hướng dẫn|pokyny|instrukc|инструкц|указани|правил"
    r"|інструкц|вказівк|οδηγί|εντολ|ההוראות|התעليمات|التعليمات|الأوامر)",
    r"(?:talimat|kural|komut)\w{0,8}.{0,30}(?:yok say|unut|görmezden|dikkate alma)",
    r"(?:忽略|无视|無視|忘记|忘記|忘れ|不要理会|不要遵守).{0,20}(?:指令|指示|提示|规则|規則|说明)",
    r"(?:指令|指示|提示|规则|規則|ルール|命令).{0,20}(?:忽略|无视|無視|忘记|忘れ)",
    r"(?:지시|명령|규칙|지침|프롬프트).{0,20}(?:무시|잊)",
    r"(?:निर्देश|नियम|आदेश)\S{0,6}.{0,20}(?:अनदेखा|भूल|नज़रअंदाज़)",
    r"\b(?:sag|sage|sagen sie|teile|dis|dites|dile|diga|diga-lhe|di'?|dica|dì|vertel|zeg|powiedz"
    r"|säg|berätta|katakan|beritahu|řekni|nói|скажи\w{0,20}|сообщи\w{0,20}|скажіть|πες|אמור|أخبر"
    r"|قل)\b.{0,12}(?:benutzer|nutzer|anwender|utilisat|usuari|usuário|utente|utilizador|gebruiker"
    r"|użytkownik|användar|pengguna|uživatel|người dùng|пользовател|користувач|χρήστη|למשתמש"
    r"|المستخدم)",
    r"(?:告诉|告知|告訴|对|對).{0,6}(?:用户|用戶|使用者|患者)",
    r"(?:ユーザー|利用者|使用者).{0,30}(?:伝え|言っ|教え|答え)",
    r"(?:사용자|이용자).{0,30}(?:말하|알려|답하)",
    r"(?:उपयोगकर्ता|यूज़र).{0,20}(?:बता|कह)",
    r"(?:kullanıcı|kullaniciya)\w{0,6}\b.{0,40}(?:söyle|bildir|anlat)",
    r"(?:du bist|tu es|vous êtes|eres|sei|você é|je bent|jesteś|du är|ты|kamu adalah"
    r"|jsi)\b.{0,15}\b(?:jetzt|désormais|maintenant|ahora|ora|adesso|agora|nu|teraz|теперь"
    r"|sekarang|nyní)?\b.{0,30}(?:ohne (?:regeln|grenzen|einschr)|sans (?:règle|limite"
    r"|restriction)|sin (?:regla|restric|límite)|senza (?:regole|restriz|limit)|sem (?:regras"
    r"|restri|limite)|zonder regels|bez (?:zasad|ogranicz|правил|pravidel)|без (?:правил"
    r"|ограничен)|utan regler|tanpa aturan)",
    r"(?:invite|prompt|aufforderung|mensaje|messaggio|mensagem|prompt do|системн\w{1,20}|系统"
    r"|システム|시스템)\W{0,3}(?:syst[èe]me?|del sistema|di sistema|do sistema|промпт"
    r"|подсказк\w{1,20}|提示|プロンプト|프롬프트)",
)
_ORDER = tuple(
    re.compile(pattern)
    for pattern in (*_PATTERNS, *_MARKERS, *_ABOUT_THE_DOCUMENT, *_OTHER_LANGUAGES)
)

# Letters only: 'i g n o r e', 'IGNORE-ALL', 'Ign0re'.
_SQUEEZED = re.compile(
    rf"(?:{any_of('ignore')})(?:{any_of('squeezed_own')}){{1,5}}(?:{any_of('squeezed_rule')})"
)
# 'Do not ignore what your doctor told you' is the opposite.
_HEEDED = re.compile(rf"\b(?:(?:do|should|can){NOT}|never|not) (?:{_IGNORE}|skip|neglect)\b")
_NO_LETTER = re.compile(r"[\W\d_]+")
_LIKE_LETTERS = str.maketrans(
    "013457@$!|" + "аеорсухіјѕԁһкмтвԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαονι",
    "oieastasil" + "aeopcyxijsdhkmtbqw" + "abezhikmnoptyxaovi",
)


def gives_orders(text: str) -> bool:
    """Whether a text gives orders to a model, such as what to say to its user."""
    plain = text
    if not text.isascii():  # in plain letters, without invisible characters
        folded = straight(unicodedata.normalize("NFKC", text))
        plain = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    plain = _HEEDED.sub("heed", " ".join(plain.lower().split()))
    if any(pattern.search(plain) for pattern in _ORDER):
        return True
    return bool(_SQUEEZED.search(_NO_LETTER.sub("", plain.translate(_LIKE_LETTERS))))
