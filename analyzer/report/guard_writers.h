// The formats of a guard analysis, and shared functions.

#ifndef SHAPEWISE_REPORT_GUARD_WRITERS_H_
#define SHAPEWISE_REPORT_GUARD_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/guard_writer.h"

namespace shapewise {

DocumentFormats<GuardReport, std::vector<std::string>>::Describe DescribeGuards;
GuardFormat::Function WriteGuardJson;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITERS_H_
