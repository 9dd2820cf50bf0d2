#include "pipeline/code_changes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
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

/// Matches the entries of a baseline with findings.
class EntryMatcher {
 public:
  EntryMatcher(const CodeBaseline& baseline, const std::vector<CodeFinding>& findings,
               llvm::function_ref<std::string(const std::string&)> name_of)
      : entries_(baseline.entries), is_used_(baseline.entries.size()), is_known_(findings.size()) {
    for (const CodeFinding& finding : findings) keys_.push_back(KnownAs(finding, name_of));
  }

  /// Matches each finding with an unused entry that has the same `key_of` and that `fits`.
  template <typename KeyOf, typename Fits>
  void Match(KeyOf key_of, Fits fits) {
    std::multimap<decltype(key_of(entries_[0])), size_t> unused;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (!is_used_[i] && fits(entries_[i])) unused.emplace(key_of(entries_[i]), i);
    }
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (is_known_[i]) continue;
      const auto entry = unused.find(key_of(keys_[i]));
      if (entry == unused.end()) continue;
      is_known_[i] = is_used_[entry->second] = true;
      unused.erase(entry);
    }
  }

  /// Matches entries of missing files by rule, function and message, if all with these are in one
  /// file, and so are the findings, which are not more.
  void MatchRenamed(const std::set<std::string>& missing) {
    using Key = std::tuple<std::string, std::string, std::string>;
    struct Group {
      std::vector<size_t> entries;
      std::vector<size_t> findings;
    };
    std::map<Key, Group> groups;
    for (size_t i = 0; i < entries_.size(); ++i) {
      const KnownFinding& entry = entries_[i];
      if (is_used_[i] || entry.message.empty() || !missing.contains(entry.file)) continue;
      groups[{entry.rule, entry.function, entry.message}].entries.push_back(i);
    }
    for (size_t i = 0; i < keys_.size(); ++i) {
      const auto group = groups.find({keys_[i].rule, keys_[i].function, keys_[i].message});
      if (!is_known_[i] && group != groups.end()) group->second.findings.push_back(i);
    }
    const auto in_one_file = [](const std::vector<KnownFinding>& of, const auto& indices) {
      return std::ranges::all_of(indices,
                                 [&](size_t i) { return of[i].file == of[indices.front()].file; });
    };
    for (const auto& [key, group] : groups) {
      if (group.findings.size() > group.entries.size() || !in_one_file(entries_, group.entries) ||
          !in_one_file(keys_, group.findings)) {
        continue;
      }
      for (size_t i = 0; i < group.findings.size(); ++i) {
        is_known_[group.findings[i]] = is_used_[group.entries[i]] = true;
      }
    }
  }

  bool IsKnown(size_t finding) const { return is_known_[finding]; }

  std::vector<KnownFinding> Unused() const {
    std::vector<KnownFinding> unused;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (!is_used_[i]) unused.push_back(entries_[i]);
    }
    return unused;
  }

 private:
  const std::vector<KnownFinding>& entries_;
  std::vector<KnownFinding> keys_;  // of the findings, if they were entries
  std::vector<bool> is_used_;
  std::vector<bool> is_known_;
};

}  // namespace

Expected<CodeBaseline> ReadCodeBaseline(std::string_view text, const std::string& name) {
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
  CodeBaseline baseline{TextOrEmpty(json, "mode"), {}};
  for (const OrderedJson& entry : *findings) {
    const std::string place = "findings[" + std::to_string(baseline.entries.size()) + "]";
    if (!entry.is_object()) return MakeError(file + ": " + place + ": expected an object");
    KnownFinding finding{TextOrEmpty(entry, "rule"),        TextOrEmpty(entry, "file"),
                         TextOrEmpty(entry, "fingerprint"), TextOrEmpty(entry, "function"),
                         TextOrEmpty(entry, "message"),     TextOrEmpty(entry, "called_from")};
    if (finding.fingerprint.empty()) {
      return MakeError(file + ": " + place + ".fingerprint: expected a text");
    }
    baseline.entries.push_back(std::move(finding));
  }
  return baseline;
}

void WriteCodeBaseline(CodeBaseline baseline, llvm::raw_ostream& out) {
  std::ranges::stable_sort(baseline.entries, {}, [](const KnownFinding& entry) {
    return std::tie(entry.file, entry.rule, entry.fingerprint);
  });
  out << "{\n \"schema\": \"" << kSchema << "\",\n \"mode\": \"" << baseline.mode
      << "\",\n \"findings\": [";
  const char* separator = "\n  ";
  for (const KnownFinding& entry : baseline.entries) {
    OrderedJson json = {{"file", entry.file},
                        {"rule", entry.rule},
                        {"function", entry.function},
                        {"message", entry.message},
                        {"fingerprint", entry.fingerprint}};
    if (!entry.called_from.empty()) json["called_from"] = entry.called_from;
    out << separator << json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    separator = ",\n  ";
  }
  out << "\n ]\n}\n";
}

KnownFinding KnownAs(const CodeFinding& finding,
                     llvm::function_ref<std::string(const std::string&)> name_of) {
  KnownFinding known{finding.rule,     name_of(finding.file), finding.fingerprint,
                     finding.function, finding.message,       {}};
  for (const RelatedPlace& place : finding.related) {
    if (place.text.starts_with("called from ")) known.called_from = name_of(place.file);
  }
  return known;
}

std::vector<KnownFinding> SuppressKnown(const CodeBaseline& baseline, const BaselineScope& scope,
                                        llvm::function_ref<std::string(const std::string&)> name_of,
                                        CheckResult& result) {
  EntryMatcher matcher(baseline, result.findings, name_of);
  matcher.Match(
      [](const KnownFinding& entry) { return std::tie(entry.file, entry.rule, entry.fingerprint); },
      [](const KnownFinding& /*entry*/) { return true; });
  matcher.Match([](const KnownFinding& entry) { return std::tie(entry.rule, entry.fingerprint); },
                [&](const KnownFinding& entry) {
                  return scope.checked.contains(entry.file) || scope.missing.contains(entry.file);
                });
  matcher.MatchRenamed(scope.missing);
  std::vector<CodeFinding> remaining;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    (matcher.IsKnown(i) ? result.known_findings : remaining)
        .push_back(std::move(result.findings[i]));
  }
  result.findings = std::move(remaining);
  result.known = result.known_findings.size();
  return matcher.Unused();
}

}  // namespace shapewise
