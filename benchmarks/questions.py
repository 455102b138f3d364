"""Consumer questions that the benchmarks ask."""

QUESTIONS = (
    "What are the symptoms of asthma?",
    "How is high blood pressure treated?",
    "What causes kidney stones?",
    "Can shingles be prevented?",
    "How do doctors diagnose celiac disease?",
    "What should I eat if I have gout?",
    "Is psoriasis contagious?",
    "What are the early signs of Parkinson's disease?",
    "Who is at risk for osteoporosis?",
    "What is the outlook for people with multiple sclerosis?",
    "How can I lower my cholesterol without medicine?",
    "What are the complications of type 2 diabetes?",
    "Why does my heart skip a beat sometimes?",
    "My mother has macular degeneration, what can be done about it?",
    "What are the treatments for restless legs syndrome?",
    "How common is cystic fibrosis and is it inherited?",
    "What happens during a colonoscopy?",
    "Which foods should people with lactose intolerance avoid?",
    "What is the difference between a cold and the flu?",
    "How long does whooping cough last?",
)
