#include "stack/syntax.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

std::string syntax(const char* name) { return syntax_of(*find_transform(name)); }

TEST(SyntaxOf, ShowsValueAndOptions) {
  EXPECT_EQ(syntax("fsdp"), "fsdp=N[:reshard=always|never|default][:mp=bf16|fp16]");
  EXPECT_EQ(syntax("hsdp"), "hsdp=NxN[:reshard=always|never|default][:mp=bf16|fp16]");
  EXPECT_EQ(syntax("ac"), "ac[=full|selective][:n=N][:reentrant]");
  EXPECT_EQ(syntax("compile"), "compile[=inductor|aot_eager][:wrap][:fullgraph]");
  EXPECT_EQ(syntax("tp"), "tp=N[:sp=on|off][:plan=all|blocks][:rest=plain][:loss_parallel]");
  EXPECT_EQ(syntax("sac"), "sac[:policy=WORD][:n=N]");
  EXPECT_EQ(syntax("optimizer"), "optimizer[=sgd|adamw][:clip=X|per_mesh][:foreach=off][:lr=X][:weight_decay=X]");
}

TEST(SyntaxOf, PutsOptionsOfAGroupIntoOneBracket) {
  EXPECT_EQ(syntax("pp"), "pp=N[:gpipe|:1f1b|:interleaved|:zero_bubble][:microbatches=N][:cut=copy|in_place]");
}

}  // namespace
}  // namespace ordercheck
