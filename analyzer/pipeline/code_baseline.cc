#include "pipeline/code_baseline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/terminal_text.h"

namespace shapewise {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSchema = "shapewise.check-baseline/1";

/// The text member `key` of `object`; empty: missing.
std::string TextOrEmpty(const OrderedJson& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

/// Unused entries with one fingerprint.
class KnownEntries {
 public:
  explicit KnownEntries(const std::vector<KnownFinding>& known) {
    for (const KnownFinding& entry : known)
      entries_[{entry.rule, entry.fingerprint}].push_back(entry);
  }

  /// Uses an entry for `finding`; false if not found.
  bool Take(const CodeFinding& finding, bool same_file) {
    const auto found = entries_.find({finding.rule, finding.fingerprint});
    if (found == entries_.end()) return false;
    std::vector<KnownFinding>& entries = found->second;
    const auto entry = std::ranges::find_if(entries, [&](const KnownFinding& candidate) {
      return !same_file || candidate.file == finding.file;
    });
    if (entry == entries.end()) return false;
    entries.erase(entry);
    return true;
  }

  size_t NumLeft() const {
    size_t left = 0;
    for (const auto& [key, entries] : entries_) left += entries.size();
    return left;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<KnownFinding>> entries_;
};

}  // namespace

Expected<std::vector<KnownFinding>> ReadCodeBaseline(std::string_view text,
                                                     const std::string& name) {
  const std::string file = MakePrintable(name);
  const OrderedJson json = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || TextOrEmpty(json, "schema") != kSchema) {
    return MakeError(file + ": expected a baseline, which begins with {\"schema\": \"" + kSchema +
                     "\"");
  }
  const auto findings = json.find("findings");
  if (findings == json.end() || !findings->is_array()) {
    return MakeError(file + ": findings: expected a list");
  }
  std::vector<KnownFinding> known;
  for (const OrderedJson& entry : *findings) {
    const std::string place = "findings[" + std::to_string(known.size()) + "]";
    if (!entry.is_object()) return MakeError(file + ": " + place + ": expected an object");
    KnownFinding finding{TextOrEmpty(entry, "rule"), TextOrEmpty(entry, "file"),
                         TextOrEmpty(entry, "fingerprint")};
    if (finding.fingerprint.empty()) {
      return MakeError(file + ": " + place + ".fingerprint: expected a text");
    }
    known.push_back(std::move(finding));
  }
  return known;
}

void WriteCodeBaseline(const std::vector<CodeFinding>& findings, llvm::raw_ostream& out) {
  std::vector<std::pair<KnownFinding, const CodeFinding*>> entries;
  for (const CodeFinding& finding : findings) {
    entries.emplace_back(KnownFinding{finding.rule, finding.file, finding.fingerprint}, &finding);
  }
  std::ranges::sort(entries, [](const auto& a, const auto& b) {
    const auto key = [](const KnownFinding& finding) {
      return std::tie(finding.file, finding.rule, finding.fingerprint);
    };
    return key(a.first) < key(b.first);
  });
  out << "{\n \"schema\": \"" << kSchema << "\",\n \"findings\": [";
  const char* separator = "\n  ";
  for (const auto& [known, finding] : entries) {
    // Function and message are for human readers of the file.
    const OrderedJson json = {{"file", known.file},
                              {"rule", known.rule},
                              {"function", finding->function},
                              {"message", finding->message},
                              {"fingerprint", known.fingerprint}};
    out << separator << json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    separator = ",\n  ";
  }
  out << "\n ]\n}\n";
}

size_t SuppressKnown(const std::vector<KnownFinding>& known, CheckResult& result) {
  KnownEntries entries(known);
  std::vector<bool> is_known(result.findings.size());
  // Same file first, so that a moved file does not use entries of another one.
  for (const bool same_file : {true, false}) {
    for (size_t i = 0; i < result.findings.size(); ++i) {
      if (!is_known[i]) is_known[i] = entries.Take(result.findings[i], same_file);
    }
  }
  std::vector<CodeFinding> remaining;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    (is_known[i] ? result.known_findings : remaining).push_back(std::move(result.findings[i]));
  }
  result.findings = std::move(remaining);
  result.known = result.known_findings.size();
  return entries.NumLeft();
}

}  // namespace shapewise
