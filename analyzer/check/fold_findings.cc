#include "shapewise/check/fold_findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

/// Lets the fix of `first` remove `more` as well, unless that is riskier or edits the same bytes.
void AddFix(CodeFinding& first, const CodeFinding& more) {
  if (!first.fix || !more.fix || first.file != more.file) return;
  if (first.fix->safe && !more.fix->safe) return;
  std::vector<CodeEdit> edits = first.fix->edits;
  edits.insert(edits.end(), more.fix->edits.begin(), more.fix->edits.end());
  llvm::stable_sort(edits, [](const CodeEdit& a, const CodeEdit& b) { return a.begin < b.begin; });
  // Both may need the same line added.
  edits.erase(std::unique(edits.begin(), edits.end(),
                          [](const CodeEdit& a, const CodeEdit& b) {
                            return a.begin == b.begin && a.end == b.end && a.text == b.text;
                          }),
              edits.end());
  for (size_t i = 1; i < edits.size(); ++i) {
    if (edits[i].begin < edits[i - 1].end || edits[i].begin == edits[i - 1].begin) return;
  }
  first.fix->edits = std::move(edits);
}

/// Findings on their way into a report.
class Folder {
 public:
  explicit Folder(std::vector<CodeFinding>& findings)
      : findings_(findings), is_folded_(findings.size()), num_related_(findings.size()) {
    for (size_t i = 0; i < findings.size(); ++i) {
      num_related_[i] = findings[i].related.size();
      if (findings[i].fold.id != 0) by_id_[findings[i].fold.id] = i;
    }
  }

  /// Adds each break under a branch that breaks to the outermost such branch: a repair of the
  /// branch has to deal with it anyway.
  void FoldUnderBranches() {
    for (size_t i = 0; i < findings_.size(); ++i) {
      CodeFinding& finding = findings_[i];
      for (const uint32_t id : finding.fold.branches) {
        const auto branch = by_id_.find(id);
        if (branch == by_id_.end()) continue;
        findings_[branch->second].related.push_back(
            {.file = finding.file, .range = finding.range, .text = finding.message});
        is_folded_[i] = true;
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
    for (const size_t i : order) {
      if (is_folded_[i] || findings_[i].fold.idiom == 0) continue;
      const auto [first, is_new] = firsts.try_emplace(findings_[i].fold.idiom, i);
      if (!is_new) Add(findings_[first->second], i);
    }
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
    CodeFinding& more = findings_[i];
    is_folded_[i] = true;
    ++first.count;
    AddFix(first, more);
    first.related.push_back({.file = more.file, .range = more.range, .text = "here as well"});
    // What was folded into the site goes with it.
    std::move(more.related.begin() + static_cast<std::ptrdiff_t>(num_related_[i]),
              more.related.end(), std::back_inserter(first.related));
  }

  std::vector<CodeFinding>& findings_;
  std::vector<bool> is_folded_;
  std::vector<size_t> num_related_;  // before anything was folded
  std::map<uint32_t, size_t> by_id_;
};

}  // namespace

void FoldFindings(std::vector<CodeFinding>& findings) {
  Folder folder(findings);
  folder.FoldUnderBranches();
  folder.FoldIdioms();
  folder.RemoveFolded();
}

}  // namespace shapewise
