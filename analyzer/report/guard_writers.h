// The formats of a guard analysis, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_GUARD_WRITERS_H_
#define SHAPEWISE_REPORT_GUARD_WRITERS_H_

#include "shapewise/report/guard_writer.h"

namespace shapewise {

const GuardWriter& GuardTextReport();
const GuardWriter& GuardJsonReport();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GUARD_WRITERS_H_
