#include "check/fold_findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "check/code_rule_set.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

// Of 383 notes about graph breaks with less confidence than kCertainEnough, 19 were at a break of
// these packages; of 571 findings with more, 218. All 81 findings in programs that torch compiles
// again and again (tests/torch/recompile_risks) have at least 0.22.
constexpr double kLikelyRecompile = 0.2;

/// The edits of a finding's fix and of those folded into it, by place.
class FoldedFix {
 public:
  explicit FoldedFix(const CodeFinding& first) {
    for (const CodeEdit& edit : first.fix->edits) edits_.emplace(edit.begin, edit);
  }

  /// Adds the fix of `more` to that of `first`, unless it is riskier or edits the same bytes.
  void Add(const CodeFinding& first, const CodeFinding& more) {
    if (!more.fix || first.file != more.file || (first.fix->safe && !more.fix->safe)) return;
    for (const CodeEdit& edit : more.fix->edits) {
      if (!Contains(edit) && !IsFree(edit)) return;
    }
    for (const CodeEdit& edit : more.fix->edits) edits_.emplace(edit.begin, edit);
  }

  /// All edits in the order of their places; the object is empty afterwards.
  std::vector<CodeEdit> TakeEdits() {
    std::vector<CodeEdit> edits;
    edits.reserve(edits_.size());
    for (auto& [begin, edit] : edits_) edits.push_back(std::move(edit));
    edits_.clear();
    return edits;
  }

 private:
  /// Both fixes may need the same line added.
  bool Contains(const CodeEdit& edit) const {
    const auto same = edits_.find(edit.begin);
    return same != edits_.end() && same->second.end == edit.end && same->second.text == edit.text;
  }

  bool IsFree(const CodeEdit& edit) const {
    const auto next = edits_.lower_bound(edit.begin);
    const bool ends_before_next =
        next == edits_.end() || (next->first != edit.begin && edit.end <= next->first);
    return ends_before_next &&
           (next == edits_.begin() || std::prev(next)->second.end <= edit.begin);
  }

  std::map<size_t, CodeEdit> edits_;
};

/// Findings before they become a report.
class Folder {
 public:
  explicit Folder(std::vector<CodeFinding>& findings)
      : findings_(findings), is_folded_(findings.size()) {
    for (size_t i = 0; i < findings.size(); ++i) {
      if (findings[i].fold.id != 0) by_id_[findings[i].fold.id] = i;
    }
  }

  /// Adds each break to the first one that it depends on, or to what that one was added to: under a
  /// branch that breaks, a fix of the branch has to include it anyway.
  void FoldUnderBranches() {
    std::map<size_t, size_t> folded_into;
    for (size_t i = 0; i < findings_.size(); ++i) {
      const CodeFinding& finding = findings_[i];
      for (const uint32_t id : finding.fold.branches) {
        const auto branch = by_id_.find(id);
        if (branch == by_id_.end()) continue;
        size_t first = branch->second;
        for (auto at = folded_into.find(first); at != folded_into.end();
             at = folded_into.find(first)) {
          first = at->second;
        }
        MoveInto(findings_[first], i, finding.message);
        folded_into[i] = first;
        break;
      }
    }
  }

  /// Adds the sites of an idiom to its most severe one; ties go to the first.
  void FoldIdioms() {
    std::vector<size_t> order(findings_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    llvm::stable_sort(
        order, [&](size_t a, size_t b) { return findings_[a].severity > findings_[b].severity; });
    std::map<uint32_t, size_t> firsts;
    std::map<size_t, FoldedFix> fixes;
    for (const size_t i : order) {
      if (is_folded_[i] || findings_[i].fold.idiom == 0) continue;
      const auto [first, is_new] = firsts.try_emplace(findings_[i].fold.idiom, i);
      if (is_new) continue;
      CodeFinding& finding = findings_[first->second];
      if (finding.fix) {
        fixes.try_emplace(first->second, finding).first->second.Add(finding, findings_[i]);
      }
      Add(finding, i);
    }
    for (auto& [i, fix] : fixes) findings_[i].fix->edits = fix.TakeEdits();
  }

  void RemoveFolded() {
    size_t num_left = 0;
    for (size_t i = 0; i < findings_.size(); ++i) {
      if (!is_folded_[i]) std::swap(findings_[num_left++], findings_[i]);
    }
    findings_.resize(num_left);
  }

 private:
  void Add(CodeFinding& first, size_t i) {
    ++first.count;
    const std::string& function = findings_[i].function;
    MoveInto(first, i, function.empty() ? "here as well" : "also in " + function);
  }

  /// Folds finding number `i`, and what was folded into it.
  void MoveInto(CodeFinding& first, size_t i, std::string text) {
    CodeFinding& more = findings_[i];
    is_folded_[i] = true;
    if (more.fix) ++(more.fix->safe ? first.folded_safe_fixes : first.folded_unsafe_fixes);
    first.folded_safe_fixes += std::exchange(more.folded_safe_fixes, 0);
    first.folded_unsafe_fixes += std::exchange(more.folded_unsafe_fixes, 0);
    more.fix.reset();
    std::vector<CodeFinding> folded = std::move(more.folded);
    const auto places = more.related.end() - static_cast<std::ptrdiff_t>(folded.size());
    first.related.push_back({.file = more.file, .range = more.range, .text = std::move(text)});
    std::move(places, more.related.end(), std::back_inserter(first.related));
    more.related.erase(places, more.related.end());
    more.folded.clear();
    first.folded.push_back(std::move(more));
    std::move(folded.begin(), folded.end(), std::back_inserter(first.folded));
  }

  std::vector<CodeFinding>& findings_;
  std::vector<bool> is_folded_;
  std::map<uint32_t, size_t> by_id_;
};

}  // namespace

void FoldFindings(std::vector<CodeFinding>& findings) {
  Folder folder(findings);
  folder.FoldUnderBranches();
  folder.FoldIdioms();
  folder.RemoveFolded();
}

bool IsUncertain(const CodeFinding& finding) {
  return finding.confidence < (finding.breaks.empty() ? kLikelyRecompile : kCertainEnough);
}

void LeaveOutUncertain(CheckResult& result) {
  result.uncertain += std::erase_if(result.findings, IsUncertain);
  result.not_followed += std::erase_if(
      result.faults, [](const CodeFault& fault) { return fault.rule == kNotFollowedCode; });
}

}  // namespace shapewise
