// Advice on an argument that has a new value in every cache entry.

#ifndef SHAPEWISE_PIPELINE_UNIQUE_VALUE_ADVICE_H_
#define SHAPEWISE_PIPELINE_UNIQUE_VALUE_ADVICE_H_

#include <vector>

#include "pipeline/lint_passes.h"

namespace shapewise {

/// An argument with a new value in every entry is the cause, whichever guard failed first; it hides
/// behind the guards that are checked before. Puts this before the advice on recompiles of its
/// function, and drops what allows more entries.
void AdviseOnUniqueValues(std::vector<ReportedCause>& reported);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_UNIQUE_VALUE_ADVICE_H_
