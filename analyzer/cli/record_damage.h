// What to say of inputs that hold a record a line, where they hold something else.

#ifndef SHAPEWISE_CLI_RECORD_DAMAGE_H_
#define SHAPEWISE_CLI_RECORD_DAMAGE_H_

#include <string>
#include <vector>

#include "shapewise/pipeline/record_file.h"

namespace shapewise {

/// Says on stderr which lines of `files` are not what was `expected`. False: there was nothing of
/// use in one of them.
bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RECORD_DAMAGE_H_
