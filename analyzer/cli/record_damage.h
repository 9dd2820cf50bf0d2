// Reports damaged lines of inputs with one record per line.

#ifndef SHAPEWISE_CLI_RECORD_DAMAGE_H_
#define SHAPEWISE_CLI_RECORD_DAMAGE_H_

#include <string>
#include <vector>

#include "shapewise/pipeline/record_file.h"

namespace shapewise {

/// Reports on stderr which lines of `files` are not the `expected` records. False: one of them
/// contains nothing usable.
bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_RECORD_DAMAGE_H_
