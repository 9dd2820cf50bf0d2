// The part of shapewise-replay that runs after torch is loaded. The launcher calls
// ShapewiseReplayMain.

#include <ATen/Version.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "replay/command.h"
#include "replay/executor.h"

namespace shapewise::replay {
namespace {

/// The launcher compares releases by the package's files; this checks what was loaded.
bool IsLoadedTorchTheOneBuiltWith() {
  const std::string config = at::show_config();
  const std::string key = "TORCH_VERSION=";
  const size_t at = config.find(key);
  if (at == std::string::npos) return true;  // unknown
  const std::string version =
      config.substr(at + key.size(), config.find(',', at) - at - key.size());
  if (version == TORCH_VERSION) return true;
  fprintf(stderr, "shapewise-replay: error: built with torch %s, but torch %s was loaded\n",
          TORCH_VERSION, version.c_str());
  return false;
}

/// Adds the options of all commands.
void AddSessionOptions(CLI::App& app, SessionOptions& options) {
  app.add_option("PROGRAM", options.program,
                 "A program (- for standard input), or a TorchScript archive")
      ->required()
      ->type_name("");
  app.add_option("--graph", options.graph, "Name or number of the graph, if there are several")
      ->type_name("NAME");
  app.add_option("--bind", options.bind, "Values of symbols; others have their hints")
      ->type_name("NAME=N");
  app.add_option("--inputs", options.inputs,
                 "Values of inputs, written by torch.save: a dict by name, or a list")
      ->type_name("FILE");
  app.add_option("--weights", options.weights, "A .pt2 archive to take parameters from")
      ->type_name("FILE");
  app.add_option("--type", options.types, "Type of an input whose type is missing in the dump")
      ->type_name("INPUT=DTYPE[SIZE,...]");
  app.add_option("--device", options.device, "Where all tensors go: cpu, cuda, cuda:1")
      ->type_name("DEVICE");
  app.add_option("--seed", options.seed, "Seed of generated inputs")->type_name("N");
  app.add_option("--threads", options.threads, "Threads of one operator")->type_name("N");
}

void AddTimingOptions(CLI::App& app, TimingOptions& options) {
  app.add_option("--warmup", options.warmup, "Runs that are not counted")->type_name("N");
  app.add_option("--runs", options.max_runs, "Most runs that are counted")->type_name("N");
  app.add_option("--seconds", options.max_seconds, "Time for the runs that are counted")
      ->type_name("S");
}

void AddInfo(CLI::App& parent, int& status) {
  const auto options = std::make_shared<SessionOptions>();
  CLI::App& app = *parent.add_subcommand("info", "Describe a program, and what of it can be run");
  AddSessionOptions(app, *options);
  app.callback([options, &status] { status = PrintInfo(*options); });
}

void AddRun(CLI::App& parent, int& status) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App& app = *parent.add_subcommand("run", "Run a program once");
  AddSessionOptions(app, arguments->session);
  app.add_option("--outputs", arguments->outputs,
                 "Write what it returns, for torch.load(FILE, weights_only=False)")
      ->type_name("FILE");
  app.add_option("--save-inputs", arguments->save_inputs,
                 "Write what it was run with: a tuple of (name, value)")
      ->type_name("FILE");
  app.callback([arguments, &status] { status = RunOnce(*arguments); });
}

void AddCurve(CLI::App& parent, int& status) {
  const auto arguments = std::make_shared<CurveArguments>();
  CLI::App& app = *parent.add_subcommand("curve", "Time a program at several sizes");
  AddSessionOptions(app, arguments->session);
  AddTimingOptions(app, arguments->timing);
  app.add_option("--symbol", arguments->symbol, "The symbol that is varied, or several together")
      ->required()
      ->type_name("NAME[,NAME...]");
  app.add_option("--sizes", arguments->sizes, "Its values, separated by commas")
      ->required()
      ->delimiter(',')
      ->type_name("N,N,...");
  app.add_flag("--csv", arguments->as_csv,
               "Print a table, as `shapewise buckets --cost FILE` reads it");
  app.callback([arguments, &status] { status = MeasureCurve(*arguments); });
}

void AddServe(CLI::App& parent, int& status) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App& app = *parent.add_subcommand(
      "serve", "Answer {\"time\": {\"s0\": 128}}, a line of standard input each, until its end");
  AddSessionOptions(app, arguments->session);
  AddTimingOptions(app, arguments->timing);
  app.callback([arguments, &status] { status = Serve(*arguments); });
}

void AddPad(CLI::App& parent, int& status) {
  const auto arguments = std::make_shared<PadArguments>();
  CLI::App& app = *parent.add_subcommand("pad", "Compare results with and without padding");
  AddSessionOptions(app, arguments->session);
  app.add_option("--symbol", arguments->symbol, "The symbol that is padded, or several together")
      ->required()
      ->type_name("NAME[,NAME...]");
  app.add_option("--size", arguments->size, "Its real size")->required()->type_name("N");
  app.add_option("--to", arguments->padded_size, "Its padded size")->required()->type_name("N");
  app.add_option("--fill", arguments->fills,
                 "What an input holds at padded positions; without it: what the padding verdict "
                 "asks for, else random numbers")
      ->type_name("INPUT=NUMBER");
  app.add_option("--tolerance", arguments->tolerance,
                 "Largest error that counts as equal, relative to the usual size of results")
      ->type_name("NUMBER");
  app.callback([arguments, &status] { status = ComparePadded(*arguments); });
}

void AddOverhead(CLI::App& parent, int& status) {
  const auto arguments = std::make_shared<OverheadArguments>();
  CLI::App& app = *parent.add_subcommand(
      "overhead",
      "Measure what this program adds to an operator: a chain of additions of one "
      "element, run as a program and called directly");
  app.add_option("--operators", arguments->operators, "Length of the chain")->type_name("N");
  app.add_option("--rounds", arguments->rounds, "Runs of each; the shortest are compared")
      ->type_name("N");
  app.callback([arguments, &status] { status = MeasureOverhead(*arguments); });
}

/// Warnings may quote a graph, so control characters are removed.
class WarningPrinter : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    fprintf(stderr, "shapewise-replay: warning: %s\n", FirstLine(warning.msg()).c_str());
  }
};

int Main(int argc, char** argv) {
  if (!IsLoadedTorchTheOneBuiltWith()) return kTrouble;
  CLI::App app(
      "Runs captured graphs on PyTorch, statement by statement: what they cost at any "
      "size, and what padding does to their results.\n"
      "PROGRAM is what `shapewise graph --format program DUMP` prints.",
      "shapewise-replay");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string("shapewise-replay ") + SHAPEWISE_VERSION +
                                        ", torch " + TORCH_VERSION);
  std::string torch_root;  // set by the launcher
  app.add_option("--torch", torch_root, "Folder of the torch package to load")->type_name("DIR");
  int status = kTrouble;
  for (const auto add : {AddInfo, AddRun, AddCurve, AddServe, AddPad, AddOverhead})
    add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kTrouble;
  }
  return status;
}

}  // namespace
}  // namespace shapewise::replay

extern "C" __attribute__((visibility("default"))) int ShapewiseReplayMain(int argc, char** argv) {
  shapewise::replay::WarningPrinter printer;
  const c10::WarningUtils::WarningHandlerGuard guard(&printer);
  try {
    return shapewise::replay::Main(argc, argv);
  } catch (const std::exception& error) {
    fprintf(stderr, "shapewise-replay: error: %s\n",
            shapewise::replay::FirstLine(error.what()).c_str());
  } catch (...) {
    fprintf(stderr, "shapewise-replay: error: unknown\n");
  }
  return shapewise::replay::kTrouble;
}
