// Prints messages about inputs on standard error.

#ifndef SHAPEWISE_CLI_INPUT_REPORTS_H_
#define SHAPEWISE_CLI_INPUT_REPORTS_H_

#include <string>
#include <vector>

#include "api/message.h"
#include "api/unrecognised.h"
#include "model/session.h"
#include "pipeline/record_file.h"

namespace shapewise {

/// Prints each message with its severity: "shapewise: warning: run.log: ...".
void PrintMessages(const Messages& messages);

/// Prints what FindUnrecognised finds, and returns its answer.
bool CheckRecognised(const Session& session, EmptyInputs empty_inputs);

/// Prints what FindDamage finds, and returns its answer.
bool ReportDamage(const std::vector<RecordFile>& files, const std::string& expected);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_INPUT_REPORTS_H_
