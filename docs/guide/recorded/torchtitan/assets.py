"""Writes what torchtitan's debug model reads: a tokenizer and a data set, which its wheel does not have."""

import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

ASSETS = Path("tests/assets")
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>"]

(ASSETS / "tokenizer").mkdir(parents=True)
(ASSETS / "c4_test").mkdir()
texts = ["The order of transforms decides whether training is right. " * 20] * 50
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
tokenizer.decoder = decoders.ByteLevel()
alphabet = pre_tokenizers.ByteLevel.alphabet()
tokenizer.train_from_iterator(
    texts, trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIAL, initial_alphabet=alphabet)
)
tokenizer.save(str(ASSETS / "tokenizer" / "tokenizer.json"))
names = {"bos_token": SPECIAL[0], "eos_token": SPECIAL[1]}
(ASSETS / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(names))
(ASSETS / "c4_test" / "data.json").write_text("\n".join(json.dumps({"text": text}) for text in texts))
