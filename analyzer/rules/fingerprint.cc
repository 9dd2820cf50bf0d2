#include "rules/fingerprint.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// A decimal number this long is an object's id or address, never a size.
constexpr size_t kMinObjectIdDigits = 9;

size_t CountDigits(std::string_view text, bool is_hex) {
  const auto is_digit = [&](char c) { return is_hex ? llvm::isHexDigit(c) : IsDigit(c); };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

/// `text` without what changes from run to run or with each edit of the file:
///
///   torch_dynamo_resume_in_forward_at_42       torch_dynamo_resume_in_forward_at_
///   <resume in forward at 42>                  <resume in forward at >
///   File "t.py", line 7                        File "t.py", line
///   <f at 0x7f12ab>, ___check_obj_id(x, 139904215237456)
std::string StripVolatile(std::string_view text) {
  const bool is_resume = HasText(text, "resume_in_") || HasText(text, "resume in ");
  std::string stable;
  while (!text.empty()) {
    if (ConsumeFront(text, "0x")) {
      stable += "0x";
      text.remove_prefix(CountDigits(text, /*is_hex=*/true));
      continue;
    }
    const size_t digits = CountDigits(text, /*is_hex=*/false);
    if (digits == 0) {
      stable.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    const std::string_view before(stable);
    const bool is_line = before.ends_with("line ") ||
                         (is_resume && (before.ends_with("_at_") || before.ends_with(" at ")));
    if (!is_line && digits < kMinObjectIdDigits) stable.append(text.substr(0, digits));
    text.remove_prefix(digits);
  }
  return stable;
}

std::string_view BaseName(std::string_view file) {
  return file.substr(file.find_last_of("/\\") + 1);
}

class Identity {
 public:
  void Add(std::string_view part) {
    text_.append(StripVolatile(part));
    text_.push_back('\0');  // so that "ab" "c" differs from "a" "bc"
  }
  std::string Hash() const { return llvm::utohexstr(llvm::MD5Hash(text_), /*LowerCase=*/true); }

 private:
  std::string text_;
};

}  // namespace

std::string Fingerprint(std::string_view rule_code, const Cause& cause) {
  Identity identity;
  identity.Add(rule_code);
  identity.Add(cause.where.function);
  identity.Add(BaseName(cause.where.file));
  identity.Add(cause.user.function);
  identity.Add(BaseName(cause.user.file));
  if (cause.culprit) {
    identity.Add(GuardClassName(cause.culprit->guard_class));
    identity.Add(cause.culprit->source);
    identity.Add(std::to_string(cause.culprit->dim));
  }
  identity.Add(cause.gb);
  identity.Add(cause.type);
  identity.Add(cause.why);
  identity.Add(cause.action);
  // Elsewhere the hint is what the log proposes, whose wording follows the release.
  if (cause.kind == CauseKind::kPerfHint) identity.Add(cause.hint);
  std::string digits = identity.Hash();
  digits.insert(0, 16 - digits.size(), '0');
  return digits;
}

}  // namespace shapewise
