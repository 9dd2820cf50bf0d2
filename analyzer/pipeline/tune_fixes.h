// Fixes of `check` for a run's graph breaks, as a candidate for `tune`.

#ifndef SHAPEWISE_PIPELINE_TUNE_FIXES_H_
#define SHAPEWISE_PIPELINE_TUNE_FIXES_H_

#include <optional>

#include "model/session.h"
#include "result/tune_report.h"
#include "support/text_input.h"

namespace shapewise {

/// All safe fixes in the files in which `session` has graph breaks; absent: none.
std::optional<TunedAction> FixesOfBreaks(const Session& session, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_TUNE_FIXES_H_
