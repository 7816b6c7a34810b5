#include "stack/synonyms.h"

#include <map>

#include "base/text.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// Not the nearest spelling but the same thing: dp is near to pp, and is none.
const std::map<std::string, std::string, std::less<>>& meanings() {
  static const std::string data = "write 'fsdp' for shards, 'ddp' for replicas, 'hsdp' for both";
  static const std::string framework = "that is a framework; write what it applies, such as tp=2,pp=2,ac,ddp=2";
  static const std::string ac = "did you mean 'ac'?", compile = "did you mean 'compile'?", tp = "did you mean 'tp'?";
  static const std::map<std::string, std::string, std::less<>> all{
      {"dp", data},
      {"data_parallel", data},
      {"dp_shard", "did you mean 'fsdp'?"},
      {"dp_replicate", "did you mean 'ddp'?"},
      {"fully_shard", "did you mean 'fsdp'?"},
      {"fsdp2", "did you mean 'fsdp'?"},
      {"zero3", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always"},
      {"zero-3", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always"},
      {"zero2", "did you mean 'fsdp'? ZeRO-2 is fsdp:reshard=never"},
      {"zero-2", "did you mean 'fsdp'? ZeRO-2 is fsdp:reshard=never"},
      {"zero1", "that shards the optimizer alone, which no transform here does; to its gradients it is 'ddp'"},
      {"zero-1", "that shards the optimizer alone, which no transform here does; to its gradients it is 'ddp'"},
      {"zero", "did you mean 'fsdp'? ZeRO-3 is fsdp:reshard=always, ZeRO-2 fsdp:reshard=never"},
      {"deepspeed", framework},
      {"megatron", framework},
      {"torchtitan", framework},
      {"accelerate", framework},
      {"nemo", framework},
      {"torch.compile", compile},
      {"torch_compile", compile},
      {"inductor", "did you mean 'compile=inductor'?"},
      {"dynamo", compile},
      {"checkpoint", ac},
      {"checkpointing", ac},
      {"activation_checkpoint", ac},
      {"activation_checkpointing", ac},
      {"gradient_checkpointing", ac},
      {"remat", ac},
      {"recompute", ac},
      {"selective_ac", "did you mean 'sac'?"},
      {"tensor_parallel", tp},
      {"sp", "sequence parallel is part of 'tp'; tp:sp=off is without it"},
      {"sequence_parallel", "sequence parallel is part of 'tp'; tp:sp=off is without it"},
      {"pipeline", "did you mean 'pp'?"},
      {"pipeline_parallel", "did you mean 'pp'?"},
      {"context_parallel", "did you mean 'cp'?"},
      {"ring", "did you mean 'cp:ring'?"},
      {"ulysses", "did you mean 'cp'? Ulysses' all-to-all is none of its exchanges"},
      {"expert_parallel", "did you mean 'ep'?"},
      {"moe", "did you mean 'ep'?"},
      {"fp8", "did you mean 'quantize'?"},
      {"float8", "did you mean 'quantize'?"},
      {"bf16", "did you mean 'amp=bf16', or fsdp:mp=bf16?"},
      {"autocast", "did you mean 'amp'?"},
      {"mixed_precision", "did you mean 'amp', or fsdp:mp=bf16?"},
      {"adamw", "did you mean 'optimizer=adamw'?"},
      {"sgd", "did you mean 'optimizer=sgd'?"},
  };
  return all;
}

}  // namespace

std::string instead_of(std::string_view word) {
  const auto meant = meanings().find(word);
  return meant != meanings().end() ? meant->second : did_you_mean(word, names_in(transforms()));
}

}  // namespace ordercheck
