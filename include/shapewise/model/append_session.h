// What one session holds, added to another, with or without its texts rewritten.

#ifndef SHAPEWISE_MODEL_APPEND_SESSION_H_
#define SHAPEWISE_MODEL_APPEND_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/model/session.h"

namespace shapewise {

/// Decides what becomes of each text on its way.
class SessionTexts {
 public:
  virtual ~SessionTexts() = default;

  /// How the texts of `field`, as VisitFields names it, are rewritten: texts of one kind alike. A
  /// small number.
  virtual size_t KindOf(std::string_view field) const = 0;

  /// What stands in the place of `text`. Called once a kind and text, in the order in which the
  /// session holds them.
  virtual std::string Rewrite(size_t kind, std::string_view text) = 0;

  /// What stands in the place of a hash of texts.
  virtual uint64_t RewriteHash(uint64_t hash) = 0;
};

/// Adds all that `from` holds, which was sorted, to `to`, which was not, as if its inputs had been
/// read there behind those that `to` has. `texts`: rewrites them; null: they stay. Linear in what
/// `from` holds.
void AppendSession(const Session& from, SessionTexts* texts, Session& to);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_APPEND_SESSION_H_
