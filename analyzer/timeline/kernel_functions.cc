#include "timeline/kernel_functions.h"

namespace shapewise {
namespace {

constexpr std::string_view kSmaps =
    "reads /proc/PID/smaps, for which the kernel walks every page of a process and holds the lock "
    "of its memory map";
constexpr std::string_view kPagemap = "reads /proc/PID/pagemap page by page";
constexpr std::string_view kNumaMaps =
    "reads /proc/PID/numa_maps, for which the kernel walks every page of a process";
constexpr std::string_view kReferences = "clears the referenced bits of a process's pages";
constexpr std::string_view kCompaction = "compacts memory";
constexpr std::string_view kHugePages = "joins pages into huge ones";
constexpr std::string_view kNumaBalancing = "moves pages between memory nodes";
constexpr std::string_view kReclaim = "reclaims memory";
constexpr std::string_view kSamePages = "looks for equal pages to share";

// Linux: fs/proc/task_mmu.c, mm/compaction.c, mm/khugepaged.c, kernel/sched/fair.c,
// mm/mempolicy.c, mm/vmscan.c, mm/ksm.c.
constexpr KernelFunction kFunctions[] = {
    {"smap_gather_stats", true, kSmaps},
    {"smaps_pte_range", true, kSmaps},
    {"smaps_pte_entry", true, kSmaps},
    {"smaps_account", true, kSmaps},
    {"smaps_page_accumulate", true, kSmaps},
    {"show_smap", true, kSmaps},
    {"show_smaps_rollup", true, kSmaps},
    {"pagemap_read", true, kPagemap},
    {"pagemap_pmd_range", true, kPagemap},
    {"show_numa_map", true, kNumaMaps},
    {"gather_pte_stats", true, kNumaMaps},
    {"clear_refs_write", true, kReferences},
    {"compact_zone", false, kCompaction},
    {"isolate_migratepages_block", false, kCompaction},
    {"khugepaged", false, kHugePages},
    {"khugepaged_scan_mm_slot", false, kHugePages},
    {"hpage_collapse_scan_pmd", false, kHugePages},
    {"collapse_huge_page", false, kHugePages},
    {"task_numa_work", false, kNumaBalancing},
    {"change_prot_numa", false, kNumaBalancing},
    {"migrate_misplaced_page", false, kNumaBalancing},
    {"shrink_node", false, kReclaim},
    {"shrink_lruvec", false, kReclaim},
    {"balance_pgdat", false, kReclaim},
    {"ksm_scan_thread", false, kSamePages},
    {"ksm_do_scan", false, kSamePages},
};

}  // namespace

const KernelFunction* FindKernelFunction(std::string_view name) {
  name = name.substr(0, name.find_first_of(".[ +"));
  for (const KernelFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace shapewise
