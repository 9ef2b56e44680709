"""A model file of 300 KB that a real engine runs: it calls a tool, then says that it is done.

One layer, a vocabulary of bytes, and weights that are chosen, not learned. Without a result of a
tool in what it reads, the likeliest token begins a call; the grammar of the tools makes the rest of
it valid. With a result it says DONE. Both are followed by the end.
"""

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFWriter, TokenType

DONE = "Feito."
WIDTH, HEADS, HIDDEN = 64, 4, 64
CONTEXT = 8_192
NEW_LINE = 10  # the first characters beyond 255 stand for bytes that cannot be seen
CALL, CALLED, RESULT = "<tool_call>", "</tool_call>", "<tool_response>"
# What a place of a token's vector means.
ALWAYS, IS_RESULT, HAS_RESULT, IS_LAST, IS_CALL = range(5)
# The likelier of two characters, where the grammar allows both.
LIKELY = {CALL: 9.0, "}": 4.0, '"': 3.0, "c": 2.0, "o": 1.8, "n": 1.6, "t": 1.4}
TEMPLATE = """
{%- if tools %}
    {{- '<|s|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- 'Tools:' }}
    {%- for tool in tools %}
        {{- '\\n' }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '<|e|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|s|>system\\n' + messages[0].content + '<|e|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'assistant' and not message.tool_calls) %}
        {{- '<|s|>' + message.role + '\\n' + message.content + '<|e|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|s|>assistant' }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' + tool_call.name + '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|e|>\\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|s|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|e|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|s|>assistant\\n' }}
{%- endif %}
""".lstrip()


def make_model(
    path: Path,
    *,
    name: str = "Pequeno",
    template: str = TEMPLATE,
    architecture: str = "llama",
    ends: bool = True,
    more: dict[str, Any] | None = None,
) -> Path:
    """Write a model file; one that does not `end` never says that it is done. `more` are further
    entries of its header.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, architecture)
    writer.add_name(name)
    writer.add_license("apache-2.0")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    tokens, kinds = _vocabulary()
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(["q q"])
    writer.add_bos_token_id(tokens.index("<|s|>"))
    writer.add_eos_token_id(tokens.index("<|e|>"))
    writer.add_add_bos_token(False)
    if template:
        writer.add_chat_template(template)
    for key, value in (more or {}).items():
        add = writer.add_uint32 if isinstance(value, int) else writer.add_string
        add(key, value)
    for tensor, weights in _weights(tokens, ends=ends).items():
        writer.add_tensor(tensor, weights.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary() -> tuple[list[str], list[TokenType]]:
    """Return the tokens: every byte as this kind of tokenizer writes it, and the words."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [each for each in range(256) if each not in printable]
    tokens = [chr(each) for each in printable]
    tokens += [chr(256 + place) for place in range(len(others))]
    words = [CALL, CALLED, RESULT, DONE]
    kinds = [TokenType.NORMAL] * (len(tokens) + 1) + [TokenType.CONTROL] * 2
    return [*tokens, "qq", "<|s|>", "<|e|>", *words], [*kinds, *[TokenType.USER_DEFINED] * 4]


def _weights(tokens: list[str], *, ends: bool) -> dict[str, Any]:
    random = np.random.default_rng(1)
    read = random.normal(0, 0.05, (len(tokens), WIDTH))
    read[:, : IS_CALL + 1] = 0
    read[:, ALWAYS] = 1
    read[tokens.index(RESULT), IS_RESULT] = 1
    read[tokens.index(CALL), IS_CALL] = 1e6
    for last in (CALLED, DONE) if ends else (CALLED,):
        read[tokens.index(last), IS_LAST] = 1e6
    write = random.normal(0, 0.05, (len(tokens), WIDTH))
    for token, weight in LIKELY.items():
        write[tokens.index(token), ALWAYS] = weight
    write[tokens.index(DONE), HAS_RESULT] = 20
    write[tokens.index("<|e|>"), IS_LAST] = 20
    write[tokens.index(chr(256 + NEW_LINE)), IS_CALL] = 20
    # Each token looks at all before it alike, and takes over whether one is a result.
    value = np.zeros((WIDTH, WIDTH))
    value[HAS_RESULT, IS_RESULT] = 1
    shown = np.zeros((WIDTH, WIDTH))
    shown[HAS_RESULT, HAS_RESULT] = 1e5
    nothing = np.zeros((WIDTH, WIDTH))
    layer = {
        "attn_norm": np.ones(WIDTH),
        "ffn_norm": np.ones(WIDTH),
        "attn_q": nothing,
        "attn_k": nothing,
        "attn_v": value,
        "attn_output": shown,
        "ffn_gate": nothing,
        "ffn_up": nothing,
        "ffn_down": nothing,
    }
    return {
        "token_embd.weight": read,
        "output.weight": write,
        "output_norm.weight": np.ones(WIDTH),
        **{f"blk.0.{name}.weight": weights for name, weights in layer.items()},
    }
