"""What the documentation says of servers that are compatible with Chat Completions, a sentence each."""

OPENAI = (
    "Bounds the answer by `max_completion_tokens` and takes a cache key; models that think want Responses for tools."
)
AZURE = "Takes the key in `api-key`, and begins a stream with a chunk that has no choices."
OPENROUTER = (
    "Is asked for thinking by `reasoning` and to cache Claude's by `cache_control`, gets `reasoning_details` back, and "
    "sends errors as a chunk."
)
DEEPSEEK = "Wants the thinking of answers with tool calls back in `reasoning_content`, empty where there was none."
MOONSHOT = "Wants `reasoning_content` back as DeepSeek does, and puts usage into the last choice."
MISTRAL = (
    "Takes no `stream_options` (usage comes anyway), sends thinking as parts of the content, wants call ids of nine "
    "letters and digits."
)
GROQ = "Gives thinking apart from the text where `reasoning_format` asks for it, and usage in `x_groq`."
GEMINI = (
    "Says `stop` where it calls tools, gives calls without an index or all with index 0, and wants a call's thought "
    "signature back."
)
XAI = "Sends usage in every chunk; the last one counts."
OLLAMA = "Gives thinking in `reasoning`, whole calls in one chunk, and older versions no index."
VLLM = "Gives thinking in `reasoning` or `reasoning_content`, and may repeat a call's name in each chunk."
LMSTUDIO = "Sends an error as a named event in the stream."
LLAMACPP = "May end a stream without `[DONE]`, and says of a request that is too long how many tokens it had."
