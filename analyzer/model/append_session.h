// Appends one session to another, optionally rewriting its texts.

#ifndef SHAPEWISE_MODEL_APPEND_SESSION_H_
#define SHAPEWISE_MODEL_APPEND_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/session.h"

namespace shapewise {

/// Decides how each text is rewritten.
class SessionTexts {
 public:
  virtual ~SessionTexts() = default;

  /// The kind of the texts in `field` (named as by VisitFields), a small number. Texts of one kind
  /// are rewritten in the same way.
  virtual size_t KindOf(std::string_view field) const = 0;

  /// The replacement for `text`. Called once per kind and text, in the order in which the session
  /// contains them.
  virtual std::string Rewrite(size_t kind, std::string_view text) = 0;

  /// The replacement for a hash of texts.
  virtual uint64_t RewriteHash(uint64_t hash) = 0;
};

/// Adds everything in the sorted session `from` to the unsorted session `to`, as if its inputs had
/// been read after those of `to`. `texts` rewrites the texts; null: they are kept. Linear in the
/// size of `from`.
void AppendSession(const Session& from, SessionTexts* texts, Session& to);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_APPEND_SESSION_H_
