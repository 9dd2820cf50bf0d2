// Tokens in the place of names: what may be shown to others of a text that comes from a run.
//
// The design, and what can still be guessed: analyzer/docs/redaction.md.

#ifndef SHAPEWISE_REDACT_REDACTOR_H_
#define SHAPEWISE_REDACT_REDACTOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shapewise {

/// What a text is, which decides what of it stays.
enum class TextKind : uint8_t {
  kExpression,  ///< sources, guards, code, names, values: words of Python, of guards and of torch
                ///< stay
  kPath,        ///< of a file: endings stay, and what lies below an installed torch
  kGuard,       ///< of guards those in words count as messages, but for what is quoted
  kProse,       ///< a message: besides words of expressions, those of RedactorOptions stay
  kWord,        ///< one of a fixed set of PyTorch's words, such as a kind of guard: stays
};

/// How tokens are made.
struct RedactorOptions {
  std::string key;                       ///< of the tokens; empty: they are numbers
  std::vector<std::string> prose_words;  ///< words that stay in messages
};

/// Rewrites texts. The same word gets the same token, whatever the text is. Not thread-safe.
class Redactor {
 public:
  explicit Redactor(RedactorOptions options);

  /// Whether tokens mean the same in other outputs.
  bool has_key() const { return !key_.empty(); }

  /// `text` with a token for each name in it. Linear in the text.
  std::string Rewrite(TextKind kind, std::string_view text);

  /// `text`, a sentence of ours that names code, with a token for each name in that code that got
  /// one before: what is quoted, and what is part of an expression, a call or a path. The words of
  /// the sentence stay, whatever names there are.
  std::string RewriteCode(std::string_view text) const;

  /// A number in the place of a hash of texts: equal for equal hashes.
  uint64_t RewriteHash(uint64_t hash);

 private:
  std::string TokenOf(std::string_view prefix, std::string_view name);
  void RewriteWords(TextKind kind, std::string_view text, std::string& out);
  void AppendWord(TextKind kind, std::string_view word, std::string_view before, std::string& out);
  void AppendPath(std::string_view path, std::string& out);
  void AppendPart(std::string_view part, std::string& out);
  bool Stays(TextKind kind, std::string_view word, std::string_view before) const;

  std::string key_;
  std::unordered_set<std::string> prose_words_;
  std::unordered_map<std::string, std::string> tokens_;  // by name
  std::unordered_map<uint64_t, uint64_t> hashes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACTOR_H_
