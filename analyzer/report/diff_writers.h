// The formats of a comparison, one file each.

#ifndef SHAPEWISE_REPORT_DIFF_WRITERS_H_
#define SHAPEWISE_REPORT_DIFF_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/diff_writer.h"

namespace shapewise {

DocumentFormats<DiffResult, DiffEvidence>::Describe DescribeDiff;
DiffFormat::Function WriteDiffJson;

/// One row of the totals of two runs, as text.
struct TotalsRow {
  std::string name;
  std::string before;  ///< "-": unknown
  std::string after;
};

/// The totals that at least one of the runs has.
std::vector<TotalsRow> TotalsRows(const DiffResult& result);

/// "Better: 3 recompiles instead of 8", "Same", "Mixed: better: 1 graph break instead of 2; worse:
/// 9 compiles instead of 4"
std::string VerdictText(const DiffResult& result);

/// "1 new, 2 gone, 1 changed, 3 the same, 2 not comparable"
std::string CountsText(const DiffResult& result);

/// "count 3 -> 5; severity note -> warning"
std::string ChangesText(const CommonCause& cause);

/// How a cause was matched if not by its fingerprint: "matched by ..."; else empty.
std::string MatchText(MatchedBy matched_by);

/// The gone cause that a new one replaced: "SWC003 of this function, which was there 8 times";
/// empty if it replaced none.
std::string InsteadText(const NewCause& cause, const DiffResult& result);

/// A remark on a new cause with siblings; empty without siblings.
std::string AlikeText(const NewCause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DIFF_WRITERS_H_
