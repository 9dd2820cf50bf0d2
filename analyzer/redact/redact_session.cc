// Copies a session with all user names redacted.
//
// The name of a field determines how its text is redacted; a field that is not listed below is
// treated as an expression, of which the least is kept.

#include "model/append_session.h"
#include "redact/redact.h"

namespace shapewise {
namespace {

TextKind KindOfField(std::string_view field) {
  for (const std::string_view name : {"file", "user_file", "trigger_file"}) {
    if (field == name) return TextKind::kPath;
  }
  if (field == "guard") return TextKind::kGuard;
  for (const std::string_view name : {"message", "context", "type", "fail_type", "fail_reason",
                                      "hint", "cause", "process", "server_text"}) {
    if (field == name) return TextKind::kProse;
  }
  for (const std::string_view name : {"kinds", "metric", "gb", "worker", "model"}) {
    if (field == name) return TextKind::kWord;
  }
  return TextKind::kExpression;
}

class RedactedTexts final : public SessionTexts {
 public:
  explicit RedactedTexts(Redactor& redactor) : redactor_(redactor) {}

  size_t KindOf(std::string_view field) const override {
    return static_cast<size_t>(KindOfField(field));
  }
  std::string Rewrite(size_t kind, std::string_view text) override {
    return redactor_.Rewrite(static_cast<TextKind>(kind), text);
  }
  uint64_t RewriteHash(uint64_t hash) override { return redactor_.RewriteHash(hash); }

 private:
  Redactor& redactor_;
};

}  // namespace

void RedactSession(const Session& session, Redactor& redactor, Session& redacted) {
  RedactedTexts texts(redactor);
  AppendSession(session, &texts, redacted);
  redacted.SortByPlace();
}

}  // namespace shapewise
