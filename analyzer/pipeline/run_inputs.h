// Files in the folder of `shapewise run` other than logs and traces.

#ifndef SHAPEWISE_PIPELINE_RUN_INPUTS_H_
#define SHAPEWISE_PIPELINE_RUN_INPUTS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamo/run_probes.h"
#include "ingest/call_record_reader.h"
#include "llvm/ADT/STLExtras.h"
#include "pipeline/load_run.h"
#include "redact/redactor.h"
#include "support/text_input.h"

namespace shapewise {

/// Folders of records of calls, one for each of `logs` that is the folder of a run and has some.
std::vector<std::string> CallFoldersOf(const std::vector<std::string>& logs);

/// Folders of the traces of probes, in the same way.
std::vector<std::string> ProbeFoldersOf(const std::vector<std::string>& runs);

/// Expands `paths`, calls `read_file` for each file of records, and adds its counts to `read`.
/// Returns one message per path that cannot be read. `redactor`: null, or as in ReadOptions.
std::vector<std::string> ReadRecordFiles(
    const std::vector<std::string>& paths, FileSource& files, Redactor* redactor,
    llvm::function_ref<Expected<JsonLineTotals>(const std::string& path)> read_file,
    std::vector<RecordFile>& read);

/// The same for call records, whose functions are added to `recorded`.
std::vector<std::string> ReadRunRecords(const std::vector<std::string>& paths, FileSource& files,
                                        Redactor* redactor, RecordedFunctions& recorded,
                                        std::vector<RecordFile>& read);

/// Reads the results of the probes of the runs that `logs` are, or are part of ("RUN/trace"); null
/// if not found. `redactor`: null, or as in ReadOptions.
std::unique_ptr<RunProbes> ReadProbes(const std::vector<std::string>& logs, FileSource& files,
                                      Redactor* redactor);

/// Notes in the folder of a run that its command ended with `status`, 128 + N where signal N ended
/// it. A full disk loses the note and nothing else.
void WriteRunEnd(const std::string& folder, int status);

/// What WriteRunEnd noted in `folder`; absent: nothing, or it is no folder of a run.
std::optional<int> ReadRunEnd(const std::string& folder);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RUN_INPUTS_H_
