"""Jobs on one GPU to hold replays against: transformers in many forms, and what else is trained and served. Each makes its data and its model, and returns a step."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.profiler import record_function


class Block(nn.Module):
    """A transformer's layer: causal attention, with fewer heads for keys where `kv_heads` says so, then two linear layers."""

    def __init__(self, width, heads, kv_heads=None, dropout=0.0):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        size = width // heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.keys, self.project = nn.Linear(width, width), nn.Linear(width, 2 * self.kv_heads * size), nn.Linear(width, width)
        self.up, self.down, self.dropout = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), dropout

    def forward(self, x):
        batch, length, width = x.shape
        y = self.before(x)
        q = self.query(y).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = self.keys(y).view(batch, length, 2, self.kv_heads, -1).permute(2, 0, 3, 1, 4)
        if self.kv_heads != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.kv_heads, dim=1) for t in (k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + F.dropout(self.project(a), self.dropout)
        return x + F.dropout(self.down(F.gelu(self.up(self.between(x)))), self.dropout)


class GPT(nn.Module):
    def __init__(self, vocabulary, width, heads, layers, length, **options):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, **options) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt(vocabulary=8192, width=512, heads=8, layers=4, length=256, batch=8, half=True, tf32=False, wait="item", options=None, **optimizer):
    """Trains a GPT; batches are copied to the device on a side stream, one step ahead."""
    torch.backends.cuda.matmul.allow_tf32 = tf32
    model = GPT(vocabulary, width, heads, layers, length, **(options or {})).cuda()
    optimize = torch.optim.AdamW(model.parameters(), lr=1e-4, **(optimizer or {"foreach": True}))
    side, rows, ahead = torch.cuda.Stream(), [torch.randint(vocabulary, (batch, length + 1)).pin_memory() for _ in range(4)], []

    def prefetch(count):
        with torch.cuda.stream(side):
            moved = rows[count % 4].to("cuda", non_blocking=True)
            ready = torch.cuda.Event()
            ready.record(side)
        ahead.append((moved, ready))

    prefetch(0)

    def step(count=[1]):
        tokens, ready = ahead.pop()
        torch.cuda.current_stream().wait_event(ready)
        tokens.record_stream(torch.cuda.current_stream())
        prefetch(count[0])
        count[0] += 1
        with record_function("## forward ##"), torch.autocast("cuda", torch.bfloat16, enabled=half):
            loss = F.cross_entropy(model(tokens[:, :-1]).float().view(-1, vocabulary), tokens[:, 1:].reshape(-1))
        with record_function("## backward ##"):
            loss.backward()
        with record_function("## optimizer ##"):
            optimize.step()
            optimize.zero_grad(set_to_none=True)
        if wait == "item":
            loss.item()
        elif wait == "stream":
            torch.cuda.current_stream().synchronize()
        else:
            torch.cuda.synchronize()

    return step


def training(model, inputs, loss_of, half=True, **optimizer):
    model = model.cuda()
    optimize = torch.optim.AdamW(model.parameters(), lr=1e-4, **optimizer)

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            loss = loss_of(model, *inputs)
        loss.backward()
        optimize.step()
        optimize.zero_grad(set_to_none=True)
        loss.item()

    return step


def convolutions():
    """Residual blocks with batch normalisation, channels last."""

    class Residual(nn.Module):
        def __init__(self, before, after, stride):
            super().__init__()
            self.one, self.two = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.Conv2d(after, after, 3, 1, 1, bias=False)
            self.norm_one, self.norm_two = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
            self.across = nn.Conv2d(before, after, 1, stride, bias=False) if stride != 1 else nn.Identity()

        def forward(self, x):
            return F.relu(self.norm_two(self.two(F.relu(self.norm_one(self.one(x))))) + self.across(x))

    model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 256, 2),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000)).to(memory_format=torch.channels_last)
    images = torch.randn(64, 3, 128, 128, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (64,), device="cuda")
    return training(model, (images, labels), lambda model, images, labels: F.cross_entropy(model(images).float(), labels))


class Experts(nn.Module):
    """A layer of eight experts, two of which each token goes to: how many go where depends on the data."""

    def __init__(self, width, experts=8, chosen=2):
        super().__init__()
        self.gate, self.chosen = nn.Linear(width, experts), chosen
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(experts))

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        weights, experts = self.gate(rows).softmax(-1).topk(self.chosen, dim=-1)
        answer = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            row, slot = torch.where(experts == number)
            answer.index_add_(0, row, (expert(rows[row]) * weights[row, slot, None]).to(answer.dtype))
        return answer.view_as(x)


def mixture():
    model = nn.Sequential(Experts(1024), nn.LayerNorm(1024), Experts(1024))
    x = torch.randn(8, 512, 1024, device="cuda")
    return training(model, (x,), lambda model, x: model(x).float().pow(2).mean())


def recurrent():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.cells, self.head = nn.Embedding(1000, 256), nn.LSTM(256, 512, 2, batch_first=True), nn.Linear(512, 1000)

        def forward(self, tokens):
            return self.head(self.cells(self.embedding(tokens))[0])

    tokens = torch.randint(1000, (32, 64), device="cuda")
    return training(Model(), (tokens,), lambda model, tokens: F.cross_entropy(model(tokens).float().view(-1, 1000), tokens.view(-1)), half=False)


def tiny():
    """Hundreds of operators that take the device a few microseconds each."""
    model = nn.Sequential(*[layer for _ in range(20) for layer in (nn.Linear(64, 64), nn.ReLU(), nn.LayerNorm(64))])
    return training(model, (torch.randn(32, 64, device="cuda"),), lambda model, x: model(x).pow(2).mean(), half=False, foreach=False)


def tables():
    """Recommendation: bags of rows of large tables, and their products in pairs."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList(nn.EmbeddingBag(100_000, 64, mode="sum") for _ in range(8))
            self.below, self.above = nn.Sequential(nn.Linear(13, 64), nn.ReLU()), nn.Sequential(nn.Linear(64 + 36, 256), nn.ReLU(), nn.Linear(256, 1))

        def forward(self, dense, rows):
            x = self.below(dense)
            all_of = torch.stack([x, *(bag(rows[:, i]) for i, bag in enumerate(self.bags))], dim=1)
            i, j = torch.triu_indices(9, 9, 1, device=x.device)
            return self.above(torch.cat([x, torch.bmm(all_of, all_of.transpose(1, 2))[:, i, j]], dim=1))

    dense, rows = torch.randn(4096, 13, device="cuda"), torch.randint(100_000, (4096, 8, 10), device="cuda")
    return training(Model(), (dense, rows), lambda model, dense, rows: model(dense, rows).sigmoid().mean(), half=False)


def decoding():
    """One token at a time, without gradients, beside the keys and values of all before."""
    model = GPT(8192, 1024, 16, 8, 512).cuda().to(torch.bfloat16).eval()
    keys = [torch.randn(16, 16, 512, 64, device="cuda", dtype=torch.bfloat16) for _ in range(16)]
    token = torch.randint(8192, (16, 1), device="cuda")

    @torch.no_grad()
    def step():
        x = model.tokens(token)
        for number, block in enumerate(model.blocks):
            y = block.before(x)
            k, v = keys[2 * number], keys[2 * number + 1]
            k[:, :, 17:18], v[:, :, 17:18] = block.keys(y).view(16, 1, 2, 16, 64).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(block.query(y).view(16, 1, 16, 64).transpose(1, 2), k, v).transpose(1, 2).reshape(16, 1, 1024)
            x = x + block.project(a)
            x = x + block.down(F.gelu(block.up(block.between(x))))
        model.head(model.norm(x)).argmax(-1).cpu()

    return step


def compiled():
    """Kernels that exist in no library: torch.compile's, by Triton."""
    layer = torch.compile(lambda x, y: F.gelu(x * 1.5 + y).sigmoid() * x - y.tanh())
    weight = torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        x = torch.ones(2048, 2048, device="cuda", dtype=torch.bfloat16)
        for _ in range(8):
            x = layer(x @ weight, x)
        x.sum().item()

    return step


WIDE = {"width": 2048, "heads": 16, "length": 1024}
JOBS = {
    "gpt_small": gpt,
    "gpt_small_streamsync": lambda: gpt(wait="stream"),
    "gpt_small_forloop_opt": lambda: gpt(foreach=False),
    "gpt_small_fused_opt": lambda: gpt(fused=True),
    "gpt_small_fp32": lambda: gpt(half=False),
    "gpt_small_tf32": lambda: gpt(half=False, tf32=True),
    "gpt_wide_bf16": lambda: gpt(**WIDE),
    "gpt_wide_fp32": lambda: gpt(**WIDE, half=False),
    "gpt_wide_tf32": lambda: gpt(**WIDE, half=False, tf32=True),
    "gpt_wide_batch4": lambda: gpt(**WIDE, batch=4),
    "gpt_wide_layers8": lambda: gpt(**WIDE, layers=8),
    "gpt_wide_fused_opt": lambda: gpt(**WIDE, fused=True),
    "gpt_wide_batch16": lambda: gpt(**WIDE, batch=16),
    "gpt_grouped_dropout": lambda: gpt(**WIDE, wait="device", options={"kv_heads": 4, "dropout": 0.1}),
    "convolutions": convolutions,
    "mixture": mixture,
    "recurrent": recurrent,
    "tiny": tiny,
    "tables": tables,
    "decoding": decoding,
    "compiled": compiled,
}
