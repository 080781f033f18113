#!/usr/bin/env python3
"""Writes src/trace/names/pytorch_operators.txt: which operators, gradients and words of schemas are PyTorch's own, as an installed PyTorch says it.
    scripts/pytorch_operators.py [OUTPUT]        with PyTorch, and torchvision and torchaudio where they are installed"""
import collections, glob, importlib, os, re, sys, textwrap

# Their operators are registered when they are imported.
MODULES = ("torch.distributed", "torch._inductor", "torch.distributed._functional_collectives", "torch.ao.quantization.fx._decomposed",
           "torch._prims", "torch._prims.rng_prims", "torch.distributed._symmetric_memory", "torchvision", "torchaudio")
# Of libraries that need a device to be installed: what public recordings and documentation of fbgemm have.
OTHERS = ["fbgemm::" + name for name in """
    FP8RowwiseQuantizedToFloat FloatToFP8RowwiseQuantized FloatToHFP8Quantized HFP8QuantizedToFloat FloatToFused8BitRowwiseQuantized
    Fused8BitRowwiseQuantizedToFloat FloatToFusedNBitRowwiseQuantizedSBHalf FusedNBitRowwiseQuantizedSBHalfToFloat FloatToBfloat16Quantized
    Bfloat16QuantizedToFloat asynchronous_complete_cumsum asynchronous_exclusive_cumsum asynchronous_inclusive_cumsum block_bucketize_sparse_features
    bounds_check_indices dense_embedding_codegen_lookup_function dense_to_jagged expand_into_jagged_permute jagged_1d_to_dense jagged_2d_to_dense
    jagged_dense_dense_elementwise_add_jagged_output jagged_dense_elementwise_add jagged_dense_elementwise_mul jagged_index_select jagged_jagged_bmm
    jagged_softmax jagged_to_padded_dense keyed_jagged_index_select_dim1 linearize_cache_indices lxu_cache_lookup lxu_cache_populate offsets_range
    permute_1D_sparse_data permute_2D_sparse_data permute_multi_embedding permute_pooled_embs permute_pooled_embs_auto_grad
    permute_pooled_embs_auto_grad_split permute_sparse_data permute_sparse_features recat_embedding_grad_output_mixed_D_batch segment_sum_csr
    split_embedding_codegen_lookup_adagrad_function split_embedding_codegen_lookup_adam_function
    split_embedding_codegen_lookup_rowwise_adagrad_function split_embedding_codegen_lookup_sgd_function
    """.split()]
# Of their schemas: names of arguments.
OTHER_WORDS = """D_offsets bounds_check_mode dev_weights feature_requires_grad gradient_clipping hash_size_cumsum indice_weights learning_rate
    lxu_cache_locations lxu_cache_weights max_D max_gradient momentum1_dev momentum1_offsets momentum1_placements momentum1_uvm permute
    permuted_lengths_sum placeholder_autograd_tensor pooling_mode rows_per_table stochastic_rounding t_in total_D total_hash_size_bits uvm_weights
    warning weights_offsets weights_placements""".split()
NODE = re.compile(r"struct\s+(?:TORCH_API\s+|TORCH_PYTHON_API\s+)?(\w+)\s*(?:final\s*)?:\s*public\s+(?:torch::autograd::)?(?:TraceableFunction|Node)\b")


def collect():
    import torch
    for module in MODULES:
        try: importlib.import_module(module)
        except ImportError: print(f"without {module}", file=sys.stderr)
    schemas = torch._C._jit_get_all_schemas()
    nodes = set()
    for header in glob.glob(os.path.dirname(torch.__file__) + "/include/torch/csrc/autograd/**/*.h", recursive=True):
        nodes.update(match[1] for match in NODE.finditer(open(header, errors="replace").read()))
    words = {word for schema in schemas for word in re.findall(r"[A-Za-z_]\w*", str(schema).replace(schema.name, "", 1))}
    return torch.__version__, {schema.name for schema in schemas}, nodes, words


def document(version, operators, nodes, words):
    """A heading and its words, per namespace; gradients without their number, which differs between versions."""
    by_namespace = collections.defaultdict(set)
    for name in operators | set(OTHERS):
        namespace, rest = name.split("::", 1)
        if re.fullmatch(r"\w+", rest): by_namespace[namespace].add(rest)
    sections = [(namespace + "::", names) for namespace, names in sorted(by_namespace.items())]
    sections += [("gradients", {re.sub(r"\d+$", "", node) for node in nodes if re.search(r"Backward\d*$", node)}), ("words", words | set(OTHER_WORDS))]
    text = f"# Written by scripts/pytorch_operators.py from PyTorch {version}.\n"
    for heading, names in sections:
        text += f"{heading}\n" + textwrap.fill(" ".join(sorted(names)), 150, initial_indent=" ", subsequent_indent=" ", break_on_hyphens=False) + "\n"
    return text


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../src/trace/names/pytorch_operators.txt")
    with open(output, "w") as file: file.write(document(*collect()))
