// Words that stay when texts are redacted: Python's own, those of guards, PyTorch's.

#ifndef SHAPEWISE_REDACT_KEPT_WORDS_H_
#define SHAPEWISE_REDACT_KEPT_WORDS_H_

#include <string_view>

namespace shapewise {

/// Whether `word` stays in expressions: no name of the user.
bool IsKeptWord(std::string_view word);

/// Whether `word` stays in messages: an English word without which none is understood.
bool IsSmallWord(std::string_view word);

/// Whether names behind `word` and a dot are no names of the user: "torch".
bool IsKeptRoot(std::string_view word);

/// Whether operators of PyTorch's own live in this namespace below torch.ops.
bool IsKeptNamespace(std::string_view word);

/// Whether a file may end so and nothing is told by it: ".py".
bool IsKeptEnding(std::string_view ending);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_KEPT_WORDS_H_
