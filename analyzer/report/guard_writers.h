// The formats of a guard analysis, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_GUARD_WRITERS_H_
#define SHAPEWISE_REPORT_GUARD_WRITERS_H_

#include "shapewise/report/guard_writer.h"

namespace shapewise {

GuardFormat::Function WriteGuardText;
GuardFormat::Function WriteGuardJson;

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITERS_H_
