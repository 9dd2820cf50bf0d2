#include <cstdlib>

#include "llvm/ADT/StringExtras.h"
#include "redact/redact_check.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Rules put user code in backticks; the rest of a message is their own.
std::string RewriteQuoted(Redactor& redactor, std::string_view text) {
  std::string out;
  while (true) {
    const size_t open = text.find('`');
    const size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open + 1);
    out += redactor.Rewrite(TextKind::kExpression, text.substr(open + 1, close - open - 1));
    out += '`';
    text.remove_prefix(close + 1);
  }
  // The closing backtick may be missing in a truncated message.
  const size_t open = text.find('`');
  out += text.substr(0, open);
  if (open != std::string_view::npos) {
    out += redactor.Rewrite(TextKind::kExpression, text.substr(open));
  }
  return out;
}

std::string RewriteRelated(Redactor& redactor, std::string_view text) {
  constexpr std::string_view kCaller = "called from ";
  std::string_view caller = text;
  if (!ConsumeFront(caller, kCaller)) return RewriteQuoted(redactor, text);
  return std::string(kCaller) + redactor.Rewrite(TextKind::kExpression, caller);
}

/// Replaces the 16 hexadecimal digits: a guess of the code could be verified with them.
std::string RewriteFingerprint(Redactor& redactor, const std::string& fingerprint) {
  const uint64_t hash = std::strtoull(fingerprint.c_str(), nullptr, 16);
  const std::string digits = llvm::utohexstr(redactor.RewriteHash(hash), /*LowerCase=*/true);
  return std::string(16 - std::min<size_t>(16, digits.size()), '0') + digits;
}

void RedactFinding(Redactor& redactor, CodeFinding& finding) {
  redactor.Redact(TextKind::kPath, finding.file);
  redactor.Redact(TextKind::kExpression, finding.function);
  finding.message = RewriteQuoted(redactor, finding.message);
  finding.advice = RewriteQuoted(redactor, finding.advice);
  for (RelatedPlace& place : finding.related) {
    redactor.Redact(TextKind::kPath, place.file);
    place.text = RewriteRelated(redactor, place.text);
  }
  if (finding.fix) {
    finding.fix->title = RewriteQuoted(redactor, finding.fix->title);
    finding.fix->edits.clear();
  }
  finding.fingerprint = RewriteFingerprint(redactor, finding.fingerprint);
  for (CodeFinding& folded : finding.folded) RedactFinding(redactor, folded);
}

}  // namespace

void RedactCheck(Redactor& redactor, CheckResult& result) {
  for (std::vector<CodeFinding>* findings :
       {&result.findings, &result.suppressed_findings, &result.known_findings}) {
    for (CodeFinding& finding : *findings) RedactFinding(redactor, finding);
  }
  for (CodeFault& fault : result.faults) {
    redactor.Redact(TextKind::kPath, fault.file);
    redactor.Redact(TextKind::kProse, fault.message);
  }
  redactor.Redact(TextKind::kProse, result.unread);
}

}  // namespace shapewise
