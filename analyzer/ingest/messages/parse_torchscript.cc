// TorchScript errors.
//
//   torch.jit.frontend.NotSupportedError: unsupported binary operator: LShift:
//     File "example.py", line 5
//
// Source: torch/jit/frontend.py.

#include <string>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/parsers.h"

namespace shapewise {

void ParseTorchscript(const Record& record, ParseContext& context) {
  const ExceptionHead head = FindExceptionHead(record.line(0), /*anywhere=*/false);
  if (head.kind != RecordKind::kTorchscript) return;
  EventDetail detail;
  detail.kind = EventKind::kTorchscript;
  detail.torchscript_action = TorchscriptAction::kError;
  detail.type = context.Intern(head.name);
  detail.message = context.Intern(head.message);
  CodePlace place;
  if (InnermostFrame(record, 1, record.num_lines(), place)) context.SetUserPlace(place, detail);
  if (context.exceptions
          .emplace(record.origin.rank, std::string(head.name),
                   std::string(head.message) + "@" + std::string(place.file) + ":" +
                       std::to_string(place.line))
          .second) {
    context.Emit(record, detail);
  }
}

}  // namespace shapewise
