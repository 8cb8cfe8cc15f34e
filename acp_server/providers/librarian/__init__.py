"""The embedded model's mind: what a person's words ask for, and the next move towards it. Pure throughout.

`language` knows words and names, `phrases` the forms of asking, `intents` what can be meant, `understanding` goes
from words to meaning, `results` reads what the memory tool answered, `moves` decides the next call or the answer,
`quoting` picks the sentences that answer a question.
"""
