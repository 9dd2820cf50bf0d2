// Determines which kinds of records the logs of a run print.

#ifndef SHAPEWISE_PIPELINE_FIND_COVERAGE_H_
#define SHAPEWISE_PIPELINE_FIND_COVERAGE_H_

#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"

namespace shapewise {

/// A record proves that its kind is printed. A limit without a recompile, a compile id N/1 or the
/// name of a resume function, all without their records, prove that it is not. A structured trace
/// contains all of them.
Coverage FindCoverage(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_FIND_COVERAGE_H_
