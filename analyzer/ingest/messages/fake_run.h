// An operation that failed on fake tensors, which have the sizes of the real ones and no data.

#ifndef SHAPEWISE_INGEST_MESSAGES_FAKE_RUN_H_
#define SHAPEWISE_INGEST_MESSAGES_FAKE_RUN_H_

#include <string>
#include <string_view>

namespace shapewise {

/// The message of a TorchRuntimeError, which loggers print without its class.
inline constexpr std::string_view kFailedFakeRun =
    "Dynamo failed to run FX node with fake tensors:";
inline constexpr std::string_view kOldFailedFakeRun = "Failed running call_";  ///< until 2.5

/// What such a message says in short: "mul of sizes (1, 27) and (64,): The size of tensor a (27)
/// must match ...". Parts that `message`, which may be cut, lacks are left out; people who wrap it
/// put blanks at its brackets. Empty: it is no such message, or shows neither sizes nor the error.
/// (torch/_dynamo/utils.py, get_fake_value)
std::string FakeRunText(std::string_view message);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_FAKE_RUN_H_
