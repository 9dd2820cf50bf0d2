// Words that redaction keeps: those of Python, guards and PyTorch.

#ifndef SHAPEWISE_REDACT_KEPT_WORDS_H_
#define SHAPEWISE_REDACT_KEPT_WORDS_H_

#include <string_view>

namespace shapewise {

/// Whether `word` is kept in expressions because it is not a user's name.
bool IsKeptWord(std::string_view word);

/// Whether `word` is kept in messages: a common English word.
bool IsSmallWord(std::string_view word);

/// Whether names after `word` and a dot are not user names: "torch".
bool IsKeptRoot(std::string_view word);

/// Whether PyTorch's own operators are in this namespace below torch.ops.
bool IsKeptNamespace(std::string_view word);

/// Whether a file extension reveals nothing: ".py".
bool IsKeptEnding(std::string_view ending);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_KEPT_WORDS_H_
