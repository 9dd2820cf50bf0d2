// Sizes in the logs of vLLM and SGLang.

#ifndef SHAPEWISE_INGEST_SIZES_SERVER_LOG_SIZES_H_
#define SHAPEWISE_INGEST_SIZES_SERVER_LOG_SIZES_H_

#include <memory>
#include <string_view>

#include "ingest/sizes/size_rows.h"

namespace shapewise {

/// Whether `line` is one of a server's log: with its level or its bracket and a time, or with one
/// of its metrics.
bool IsServerLogLine(std::string_view line);

/// Reads what vLLM and SGLang log of the steps that they serve (analyzer/docs/sizes.md): `decode`,
/// `prefill` or `tokens`, the column of the query.
std::unique_ptr<SizeFormReader> NewServerLogSizes(SizeRows& rows);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SERVER_LOG_SIZES_H_
