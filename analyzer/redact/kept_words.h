// Words that redaction keeps, from kept_words.txt: those of Python, guards and PyTorch.

#ifndef SHAPEWISE_REDACT_KEPT_WORDS_H_
#define SHAPEWISE_REDACT_KEPT_WORDS_H_

#include <string_view>

namespace shapewise {

/// Whether `word` is kept in expressions, [words], because it is not a user's name.
bool IsKeptWord(std::string_view word);

/// Whether `word` is kept in messages, [messages]: a common English word.
bool IsSmallWord(std::string_view word);

/// Whether names after `word` and a dot are not user names, [roots]: "torch".
bool IsKeptRoot(std::string_view word);

/// Whether PyTorch's own operators are in this namespace below torch.ops, [namespaces].
bool IsKeptNamespace(std::string_view word);

/// Whether a file extension reveals nothing, [endings]: ".py".
bool IsKeptEnding(std::string_view ending);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_KEPT_WORDS_H_
