// Replaces names with tokens: what may be shown to others of a text from a run.
//
// Design, and what can still be inferred: analyzer/docs/redaction.md.

#ifndef SHAPEWISE_REDACT_REDACTOR_H_
#define SHAPEWISE_REDACT_REDACTOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shapewise {

/// The kind of a text, which decides what is kept.
enum class TextKind : uint8_t {
  kExpression,  ///< sources, guards, code, names, values: keeps words of Python, guards and torch
  kPath,        ///< of a file: keeps file extensions and paths inside an installed torch
  kGuard,       ///< guards; verbal ones count as messages, except for quoted parts
  kProse,       ///< a message: also keeps the words in RedactorOptions
  kWord,        ///< from a fixed list of PyTorch's words, such as a kind of guard: kept
};

/// How tokens are made.
struct RedactorOptions {
  std::string key;                       ///< secret key for the tokens; empty: they are numbered
  std::vector<std::string> prose_words;  ///< words that are kept in messages
};

/// Redacts texts. Equal words get equal tokens in all texts. Not thread-safe.
class Redactor {
 public:
  explicit Redactor(RedactorOptions options);

  /// Whether tokens are comparable across outputs.
  bool has_key() const { return !key_.empty(); }

  /// `text` with a token for each name in it. Linear in the text.
  std::string Rewrite(TextKind kind, std::string_view text);

  /// Rewrites each of `texts`: strings, and lists of strings.
  template <typename... Texts>
  void Redact(TextKind kind, Texts&... texts) {
    (RedactOne(kind, texts), ...);
  }

  /// `text`, a sentence written by shapewise about code, with each name that already has a token
  /// replaced: in quotes, expressions, calls and paths. The sentence's own words are kept.
  std::string RewriteCode(std::string_view text) const;

  /// A number that replaces a hash of texts; equal for equal hashes.
  uint64_t RewriteHash(uint64_t hash);

 private:
  void RedactOne(TextKind kind, std::string& text) { text = Rewrite(kind, text); }
  void RedactOne(TextKind kind, std::vector<std::string>& texts) {
    for (std::string& text : texts) RedactOne(kind, text);
  }
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
