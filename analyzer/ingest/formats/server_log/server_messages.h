// The messages of vLLM and SGLang that tell what a server did while it started, and of its batches.

#ifndef SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_MESSAGES_H_
#define SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/messages/wording.h"
#include "shapewise/model/server_line.h"

namespace shapewise {

/// A message that was found in a line. Views point into the line.
struct ServerMessage : WordingValues {
  ServerLineKind kind = ServerLineKind::kStart;
  ServerEngine engine = ServerEngine::kVllm;
  std::string_view before;  ///< of the line, up to the message: prefixes
  std::string_view behind;  ///< of the line, from the end of what the pattern reads
};

/// The literals with which messages are found; every one has six bytes or more.
std::vector<std::string_view> ServerLiterals();

/// The first message in `line`, which has no escape sequences; absent if there is none. Linear in
/// the length of the line.
std::optional<ServerMessage> FindServerMessage(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_MESSAGES_H_
