// Messages about damaged lines of inputs with one record per line.

#ifndef SHAPEWISE_API_RECORD_DAMAGE_H_
#define SHAPEWISE_API_RECORD_DAMAGE_H_

#include <string>
#include <vector>

#include "api/message.h"
#include "pipeline/record_file.h"

namespace shapewise {

/// Adds messages about lines of `files` that are not the `expected` records. False: one of the
/// files contains nothing usable.
bool FindDamage(const std::vector<RecordFile>& files, const std::string& expected,
                Messages& messages);

}  // namespace shapewise

#endif  // SHAPEWISE_API_RECORD_DAMAGE_H_
