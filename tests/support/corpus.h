// The logs of corpora/, for tests that hold over all of them.

#ifndef SHAPEWISE_TESTS_SUPPORT_CORPUS_H_
#define SHAPEWISE_TESTS_SUPPORT_CORPUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "ingest/reader.h"
#include "model/session.h"

namespace shapewise {

/// One log of corpora/, with its whole text.
struct CorpusLog {
  std::string name;  ///< path below corpora/
  std::string text;
};

/// Every *.log and log.txt below corpora/, and every *.log.gz that is not too large, ordered by
/// name; logs for benchmarks left out.
std::vector<CorpusLog> AllCorpusLogs();

/// Everything a reader put into `session`, as text: two equal texts mean the same was read.
std::string DumpSession(const Session& session);

/// Reads `text`, cut into pieces of `chunk_bytes`, and dumps what came of it.
std::string ReadAndDump(std::string_view text, size_t chunk_bytes, const ReadOptions& options = {});

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_CORPUS_H_
