// The place duet-sources of report.html: what a reader looks at beside the counts of lines.
//
//   {"files": [{"path": "a.cu", "parts": [[1, "first line\nsecond line"]]}],
//    "kernels": [{"left": 0, "instructions": [[ptx file, ptx line, source file, source line, text, warp
//      instructions, lanes, [slots issued, lost because ..., by cause]]]}]}
//
// Files have numbers, their places in `files`; those of which the page has no text have no parts. Kernels are
// those of `lines` in stats.json. Files are whole, the ones with most slots first, as long as there is room;
// of further ones there are the neighbours of lines that have counts. Of PTX there is text where no source
// has more counts. `left` instructions had no room.
#pragma once

#include <iosfwd>

#include "report/run_report.h"

namespace duet::report {

// So much of a page for text of files, and instructions.
constexpr std::size_t kHtmlSourceBytes = 64 << 10, kHtmlInstructions = 600;

void write_sources_json(std::ostream& out, const RunReport& report);

}  // namespace duet::report
