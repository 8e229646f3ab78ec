#include "preexec/text/driver.h"

#include <fmt/format.h>

namespace duet::preexec {

std::string DriverWriter::write() {
  out_.open("static u64 cpu_prefetching(struct duet_preexec *context)");
  write_setup();
  open_blocks();
  write_steps(plan_.steps);
  out_.close();
  out_.add("return sum;");
  out_.close();
  return out_.text();
}

void DriverWriter::open_blocks() {
  out_.add("// added loop to traverse thread blocks");
  if (forwarded()) {
    out_.add("u64 next = 0;");
    out_.open("for (u64 tbs; (tbs = next_blocks(context, k, N_tb, &next, &polls)) != 0;)");
    out_.add("const u64 first = 0, end = tbs * tb_size;");
    out_.add("const int clamped = 1;");
    return;
  }
  out_.add("const u64 concurrent_tb = context->concurrent_blocks;");
  out_.add("const int clamped = context->thread_ids != 0;");
  const bool paced = names_.options().paced_blocks;
  out_.open(
      fmt::format("for (u64 j = {}; j < N_tb; j += concurrent_tb)", paced ? "context->first_block" : "0"));
  if (paced) out_.add("if (wait_for_gpu(context, j, &polls)) return sum;");
  out_.add("const u64 first = j * tb_size;");
  out_.add("const u64 end = (!clamped || j + concurrent_tb < N_tb ? j + concurrent_tb : N_tb) * tb_size;");
}

void DriverWriter::write_setup() {
  static constexpr const char* kDimension[] = {"x", "y", "z"};
  const auto product = [](const char* what, unsigned dimensions) {
    std::string text = "(u64)" + std::string(what) + "[0]";
    for (unsigned i = 1; i < dimensions; ++i) text += fmt::format(" * {}[{}]", what, i);
    return text;
  };
  out_.add("struct kernel kernel, *const k = &kernel;");
  out_.add("k->context = context;");
  for (const Member& member : names_.members())
    out_.add(fmt::format("k->{} = {};", member.name, member.source));
  for (unsigned i = 0; i < 3; ++i)
    out_.add(fmt::format("k->ntid_{0} = context->block[{1}], k->nctaid_{0} = context->grid[{1}];",
                         kDimension[i], i));
  if (names_.options().block)
    out_.add(fmt::format("const u64 tb_size = {};", names_.block_size()));
  else
    out_.add(fmt::format("const u64 tb_size = {};", product("context->block", names_.block_dimensions())));
  out_.add("k->tb_size = (u32)tb_size;");
  for (const std::string& of : inverses_) out_.add(fmt::format("k->by_{0} = inverse_of(k->{0});", of));
  out_.add(fmt::format("const u64 N_tb = {};", product("context->grid", names_.grid_dimensions())));
  if (forwarded()) {
    out_.add("k->first_thread = (u32 *)context->active;");
    out_.add("k->tb_inverse = ((1ull << 40) + tb_size - 1) / tb_size;");
  }
  if (adaptive()) {
    out_.add("const u64 batch_size = context->batch_size;");
    out_.add(
        "struct pace pace = {context->skip_factor, context->lowering == 0 ? context->skip_factor : 1, 0, "
        "L3_HITS()};");
  } else {
    out_.add("struct pace pace = {context->skip_factor};");
  }
  out_.add("context->current_skip_factor = (u32)pace.skip_factor;");
  out_.add("u64 sum = 0, polls = 0;");
}

void DriverWriter::write_steps(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.is_loop)
      write_loop(step);
    else
      write_threads(plan_.functions[step.function]);
  }
}

// Fig. 9's loop over m. Iterations of an innermost loop are taken several in a row.
void DriverWriter::write_loop(const Step& step) {
  const LoopPlan& loop = plan_.loops[step.loop];
  const auto iterators = functions_.iterators(step.loop);
  const std::string& m = iterators.back();
  std::string bound = fmt::format("k->loop_{}_iterations", loop.number);
  out_.add(fmt::format("// the loop corresponding to kernel loop {}", loop.number));
  if (loop.uniform) {
    std::string arguments = "k";
    for (std::size_t i = 0; i + 1 < iterators.size(); ++i) arguments += ", " + iterators[i];
    const std::string name = fmt::format("loop_{}_counter", loop.number);
    out_.add(fmt::format("const u32 {} = loop_{}_iterations({});", name, loop.number, arguments));
    bound = name;
  } else {
    out_.add(bound + " = 1;  // the most of any thread; functions raise it");
  }
  bool innermost = true;
  for (const Step& inner : step.steps) innermost &= !inner.is_loop;
  const unsigned unroll = innermost ? names_.options().kernel_loop_unroll : 1;
  if (unroll <= 1) {
    out_.open(fmt::format("for (u32 {0} = 0; {0} < {1}; ++{0})", m, bound));
    write_steps(step.steps);
  } else {
    const std::string start = m + "_0";
    out_.open(fmt::format("for (u64 {0} = 0; {0} < {1}; {0} += {2})", start, bound, unroll));
    out_.add(fmt::format("#pragma clang loop unroll({})", unroll <= 8 ? "full" : "disable"));
    out_.open(fmt::format("for (u32 u = 0; u < {0}; ++u)", unroll));
    out_.add(fmt::format("const u32 {} = (u32){} + u;", m, start));
    out_.add(fmt::format("if ({} >= {}) break;", m, bound));
    write_steps(step.steps);
    out_.close();
  }
  if (adaptive() && innermost) out_.add("update_skip_factor(context, &pace);");
  out_.close();
}

std::string DriverWriter::call(const FunctionPlan& function, const std::string& thread,
                               const char* suffix) const {
  std::string text = fmt::format("{}{}(k, {}({})", function.name, suffix, forwarded() ? "thread_of" : "(u32)",
                                 forwarded() ? "k, " + thread : thread);
  for (const std::string& m : functions_.iterators(function.loop)) text += ", " + m;
  return text + ")";
}

void DriverWriter::write_unrolled(const FunctionPlan& function, const std::string& thread,
                                  const char* suffix) {
  std::string total;
  for (unsigned u = 0; u < unroll_; ++u) {
    out_.add(fmt::format("const u64 a{} = {};", u,
                         call(function, fmt::format("{} + skip_factor * {}", thread, u), suffix)));
    total += (u == 0 ? "a" : " + a") + std::to_string(u);
  }
  out_.add("sum += " + total + ";  // overcomes dead code elimination");
}

void DriverWriter::write_threads(const FunctionPlan& function) {
  out_.add("// added loop to traverse concurrent threads");
  const std::string thread = adaptive() ? "thread_id" : "i";
  if (adaptive()) {
    out_.open(fmt::format("for (u64 i = first; i < end; i += pace.skip_factor * batch_size * {})", unroll_));
    out_.add("const u64 skip_factor = pace.skip_factor;");
    out_.open("for (u64 b = 0; b < batch_size; ++b)");
    out_.add(fmt::format("const u64 thread_id = i + b * skip_factor * {};", unroll_));
  } else {
    out_.add("const u64 skip_factor = pace.skip_factor;");
    out_.open(fmt::format("for (u64 i = first; i < end; i += skip_factor * {})", unroll_));
  }
  out_.open(fmt::format("if (clamped && {} + skip_factor * {} >= end)", thread, unroll_ - 1));
  out_.add(
      fmt::format("for (u64 t = {}; t < end; t += skip_factor) sum += {};", thread, call(function, "t")));
  out_.add("break;");
  out_.close();
  out_.add("// unrolled loop");
  if (functions_.ends_decide(function)) {
    const std::string last = fmt::format("{} + skip_factor * {}", thread, unroll_ - 1);
    out_.open(fmt::format("if ({} && {})", call(function, thread, "_runs"), call(function, last, "_runs")));
    write_unrolled(function, thread, "_always");
    out_.close();
    out_.open("else");
    write_unrolled(function, thread, "");
    out_.close();
  } else {
    write_unrolled(function, thread, "");
  }
  out_.close();
  if (!adaptive()) {
    out_.add("if (stopped(context, &polls)) return sum;");
    return;
  }
  out_.add("if (stopped(context, &polls)) return sum;");
  if (function.loop == kNoLoop) out_.add("update_skip_factor(context, &pace);");
  out_.close();
}

}  // namespace duet::preexec
