"""The likelihood of a text under a causal language model [H9]."""

from typing import Any

from anamnesis.errors import SettingError
from anamnesis.models.chat import load_chat
from anamnesis.models.reference import FILE_SCHEMES, parse


class Likelihood:
    """A causal model by reference, as for ``load_chat``, that runs in this process.

    Raises SettingError for a provider's model, which returns no likelihood, and otherwise as
    ``load_chat``.
    """

    def __init__(self, reference: str) -> None:
        if parse(reference).scheme not in FILE_SCHEMES:
            raise SettingError(
                f"{reference!r} does not return the likelihood of a text; name a model that runs "
                "here (hf:NAME, package:NAME, a folder or a GGUF file)"
            )
        chat: Any = load_chat(reference)
        from anamnesis.models.local_chat import context_window

        self._model, self._tokenizer = chat.llm.pipeline.model, chat.tokenizer
        self._window = context_window(self._model.config)

    def __call__(self, text: str) -> tuple[float, int]:
        """The sum of the tokens' negative log-likelihoods in nats, and the number of tokens.

        The first token is included if the model has a begin-of-text token. A text that is longer
        than the window is read in windows that overlap by half.
        """
        import torch

        ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        if self._tokenizer.bos_token_id is not None:
            ids = [self._tokenizer.bos_token_id, *ids]
        total, done = 0.0, 1
        while done < len(ids):
            end = min(len(ids), max(self._window, done + self._window // 2))
            start = max(0, end - self._window)
            seen = torch.tensor([ids[start:end]], device=self._model.device)
            with torch.inference_mode():
                log_probs = self._model(seen).logits[0, :-1].float().log_softmax(-1)
            found = log_probs.gather(1, seen[0, 1:, None])
            total -= float(found[done - start - 1 :].sum())
            done = end
        return total, max(len(ids) - 1, 0)
