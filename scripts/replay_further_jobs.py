"""Further jobs on one GPU to hold replays against: what vision, speech, science and serving do that transformers don't."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.checkpoint

from replay_jobs import GPT, training


def vision():
    """A vision transformer in fp16 with scaled gradients, momentum, and gradients that are clipped."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 384, 16, 16)
            self.token, self.places = nn.Parameter(torch.zeros(1, 1, 384)), nn.Parameter(torch.zeros(1, 65, 384))
            layer = nn.TransformerEncoderLayer(384, 6, 1536, 0.1, "gelu", batch_first=True, norm_first=True)
            self.layers, self.head = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(384, 100)

        def forward(self, images):
            x = self.patches(images).flatten(2).transpose(1, 2)
            return self.head(self.layers(torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places)[:, 0])

    model = Model().cuda()
    optimize, scaler = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4), torch.amp.GradScaler("cuda")
    images, labels = torch.randn(32, 3, 128, 128, device="cuda"), torch.randint(100, (32,), device="cuda")

    def step():
        with torch.autocast("cuda", torch.float16):
            loss = F.cross_entropy(model(images), labels, label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.unscale_(optimize)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimize)
        scaler.update()
        optimize.zero_grad(set_to_none=True)

    return step


def unet():
    """Group normalisation, nearest upsampling, transposed and grouped convolutions, skips."""
    def layer(before, after, stride=1, groups=1):
        return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, groups=groups), nn.GroupNorm(8, after), nn.SiLU())

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList([layer(3, 32), layer(32, 64, 2), layer(64, 128, 2, 8)])
            self.up = nn.ModuleList([nn.ConvTranspose2d(128, 64, 2, 2), layer(128, 64), layer(96, 32)])
            self.out = nn.Conv2d(32, 3, 1)

        def forward(self, x, times):
            one = self.down[0](x)
            two = self.down[1](one) + times[:, :, None, None]
            three = self.down[2](two)
            x = self.up[1](torch.cat([self.up[0](three), two], 1))
            return self.out(self.up[2](torch.cat([F.interpolate(x, scale_factor=2, mode="nearest"), one], 1)))

    x, times = torch.randn(16, 3, 64, 64, device="cuda"), torch.randn(16, 64, device="cuda")
    return training(Model(), (x, times), lambda model, x, times: F.mse_loss(model(x, times).float(), x))


def masked():
    """An encoder with a padding mask, so that attention has a bias; an embedding with a padding row; a tied head."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(5000, 256, padding_idx=0)
            self.layers = nn.ModuleList(nn.MultiheadAttention(256, 4, 0.1, batch_first=True) for _ in range(3))
            self.norms = nn.ModuleList(nn.RMSNorm(256) for _ in range(3))

        def forward(self, tokens):
            x, mask = self.words(tokens), tokens == 0
            for layer, norm in zip(self.layers, self.norms):
                y = norm(x)
                x = x + layer(y, y, y, key_padding_mask=mask, need_weights=False)[0]
            return F.linear(x, self.words.weight)

    tokens = torch.randint(5000, (16, 128), device="cuda")
    tokens[:, 100:] = 0
    return training(Model(), (tokens,), lambda model, tokens: F.cross_entropy(model(tokens).float().view(-1, 5000), tokens.view(-1), ignore_index=0))


def checkpointed():
    """What the forward pass made is thrown away and computed again."""
    class Model(GPT):
        def forward(self, tokens):
            x = self.tokens(tokens)
            for block in self.blocks:
                x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
            return self.head(self.norm(x))

    tokens = torch.randint(8192, (8, 256), device="cuda")
    return training(Model(8192, 512, 8, 6, 256, dropout=0.1), (tokens,), lambda model, tokens: F.cross_entropy(model(tokens).float().view(-1, 8192), tokens.view(-1)))


def gated():
    """A bidirectional GRU with dropout between its layers, on sequences of several lengths packed together, and CTC."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.cells, self.head = nn.Conv1d(80, 256, 5, 2, 2), nn.GRU(256, 256, 2, batch_first=True, bidirectional=True, dropout=0.1), nn.Linear(512, 32)

        def forward(self, sound, lengths):
            x = F.relu(self.conv(sound)).transpose(1, 2)
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
            return self.head(nn.utils.rnn.pad_packed_sequence(self.cells(packed)[0], batch_first=True)[0])

    sound, lengths = torch.randn(16, 80, 200, device="cuda"), torch.tensor([100 - 2 * i for i in range(16)])
    words, sizes = torch.randint(1, 32, (16, 20), device="cuda"), torch.full((16,), 20, dtype=torch.long)
    return training(Model(), (sound, words), lambda model, sound, words: F.ctc_loss(model(sound, lengths).float().log_softmax(-1).transpose(0, 1), words, lengths.cuda(), sizes.cuda()), half=False)


def sorting():
    """What chooses, sorts, counts and scatters."""
    x, table = torch.randn(4096, 512, device="cuda"), torch.randn(20000, 64, device="cuda", requires_grad=True)

    def step():
        values, places = x.topk(16, dim=-1)
        order = values[:, 0].argsort(descending=True)
        kept = x[order][x[order, 0] > 0]
        rows = (places * 37) % 20000
        picked = table[rows].mean(1)
        counts = torch.zeros(20000, device="cuda").scatter_add_(0, rows.view(-1), torch.ones(rows.numel(), device="cuda"))
        running = counts.cumsum(0)
        drawn = torch.multinomial(counts + 1, 1000)
        chosen = F.one_hot(rows[:, 0] % 64, 64).float()
        loss = (picked * chosen).masked_fill(chosen == 0, 0.5).sum() + F.gumbel_softmax(picked, hard=True).sum() * 0
        loss.backward()
        table.grad = None
        other = torch.full((20000,), -1.0, device="cuda")
        other[drawn] = running[drawn]
        other.index_copy_(0, drawn[:10], running[:10]).clamp_(0, 10)
        torch.unique(rows[:, 0]).sum().item() + kept.sum().item()

    return step


def spectra():
    """Fourier transforms, complex products, einsum, bilinear sampling, 3D convolutions, pooling."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = nn.Parameter(torch.randn(16, 16, 16, 9, dtype=torch.cfloat) * 0.02)
            self.lift, self.deep = nn.Conv2d(1, 16, 1), nn.Conv3d(16, 16, 3, padding=1)

        def forward(self, x):
            x = self.lift(x)
            spectrum = torch.fft.rfft2(x)
            low = torch.einsum("bixy,ioxy->boxy", spectrum[:, :, :16, :9], self.weights)
            full = torch.zeros_like(spectrum)
            full[:, :, :16, :9] = low
            x = F.gelu(torch.fft.irfft2(full, s=x.shape[-2:]) + x)
            grid = F.affine_grid(torch.eye(2, 3, device=x.device).expand(len(x), 2, 3), x.shape, align_corners=False)
            x = F.grid_sample(x, grid, align_corners=False)
            x = F.max_pool3d(self.deep(x.unsqueeze(2).expand(-1, -1, 4, -1, -1)), 2)
            return F.adaptive_avg_pool3d(F.interpolate(x, scale_factor=(1, 2, 2), mode="trilinear"), (1, 8, 8))

    x = torch.randn(8, 1, 64, 64, device="cuda")
    return training(Model(), (x,), lambda model, x: model(x).pow(2).mean(), half=False)


def algebra():
    """Factorisations and solutions of many small and one large system, distances."""
    a, b, points = torch.randn(64, 32, 32, device="cuda"), torch.randn(64, 32, 4, device="cuda"), torch.randn(1024, 16, device="cuda", requires_grad=True)

    def step():
        spd = a @ a.transpose(1, 2) + 32 * torch.eye(32, device="cuda")
        lower = torch.linalg.cholesky(spd)
        x = torch.cholesky_solve(b, lower) + torch.linalg.solve(spd, b)
        q, r = torch.linalg.qr(a)
        loss = torch.cdist(points, points).exp().neg().exp().sum() + torch.linalg.inv(spd).sum() + torch.logdet(spd).sum() + (q @ r).sum() + x.sum()
        loss.backward()
        points.grad = None
        loss.item()

    return step


def small_numbers():
    """fp8 and int8 products, as in inference."""
    x, w = torch.randn(512, 1024, device="cuda").to(torch.float8_e4m3fn), torch.randn(2048, 1024, device="cuda").to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    i, j = torch.randint(-5, 5, (512, 1024), device="cuda", dtype=torch.int8), torch.randint(-5, 5, (1024, 2048), device="cuda", dtype=torch.int8)

    @torch.no_grad()
    def step():
        for _ in range(4):
            y = torch._scaled_mm(x, w, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
            z = torch._int_mm(i, j).float() * 0.01
            y = (y.float() + z).to(torch.float8_e4m3fn)
        y.float().sum().item()

    return step


def graphed():
    """A graph of kernels that is captured once and launched whole."""
    model = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)).cuda().to(torch.bfloat16)
    x = torch.randn(1024, 512, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.synchronize()
    held = {}

    @torch.no_grad()
    def capture():
        held["graph"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(held["graph"]):
            held["y"] = model(x)

    @torch.no_grad()
    def step():
        for _ in range(4):
            x.copy_(torch.randn_like(x))
            held["graph"].replay()
        held["y"].sum().item()

    capture()
    step.capture = capture
    return step


def side_by_side():
    """Three streams that wait for each other, copies both ways beside work, parts of the loss read on the way."""
    big = torch.randn(2048, 2048, device="cuda")
    host, back = torch.randn(2048, 2048).pin_memory(), torch.empty(2048, 2048).pin_memory()
    one, two = torch.cuda.Stream(), torch.cuda.Stream()

    @torch.no_grad()
    def step():
        with torch.cuda.stream(one):
            moved = host.to("cuda", non_blocking=True)
            here = torch.cuda.Event()
            here.record()
        x = big
        for _ in range(3):
            x = (x @ big).tanh()
        torch.cuda.current_stream().wait_event(here)
        y = moved @ x
        moved.record_stream(torch.cuda.current_stream())
        two.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(two):
            back.copy_(y, non_blocking=True)
            z = y.softmax(-1)
            y.record_stream(two)
        w = x.sum()
        torch.cuda.current_stream().wait_stream(two)
        z.record_stream(torch.cuda.current_stream())
        (w + z.max()).item()
        torch.cuda.synchronize()

    return step


def accumulated():
    """Gradients of four micro-batches, parameters in bf16, an average of the weights beside; LSTM cells in a loop."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.head = nn.LSTMCell(128, 256), nn.Linear(256, 10)

        def forward(self, x):
            h = c = x.new_zeros(len(x), 256)
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], (h, c))
            return self.head(h)

    model = Model().cuda().to(torch.bfloat16)
    mean = [p.detach().clone() for p in model.parameters()]
    optimize = torch.optim.Adagrad(model.parameters(), lr=1e-3)
    x, y = torch.randn(4, 64, 12, 128, device="cuda", dtype=torch.bfloat16), torch.randint(10, (4, 64), device="cuda")

    def step():
        optimize.zero_grad(set_to_none=False)
        total = 0.0
        for i in range(4):
            loss = F.cross_entropy(model(x[i]).float(), y[i]) / 4
            loss.backward()
            total += loss.detach()
        optimize.step()
        with torch.no_grad():
            torch._foreach_lerp_(mean, list(model.parameters()), 0.01)
        total.item()

    return step


def recommender():
    """Bags of embeddings whose offsets say how long each is, dense features beside, interactions of all pairs."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList([nn.EmbeddingBag(50000, 64, mode="sum") for _ in range(24)])
            self.below = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, 64))
            self.above = nn.Sequential(nn.Linear(64 + 25 * 24 // 2, 256), nn.ReLU(), nn.Linear(256, 1))

        def forward(self, dense, indices, offsets):
            low = self.below(dense)
            rows = torch.stack([low] + [bag(i, o) for bag, i, o in zip(self.bags, indices, offsets)], 1)
            one, other = torch.triu_indices(25, 25, 1, device=rows.device)
            return self.above(torch.cat([low, torch.bmm(rows, rows.transpose(1, 2))[:, one, other]], 1)).squeeze(1)

    model, batch = Model().cuda(), 2048
    optimize = torch.optim.SGD(model.parameters(), lr=1e-3)
    lengths = [torch.randint(0, 20, (batch,)) for _ in range(24)]
    offsets = [torch.cat([torch.zeros(1, dtype=torch.long), of.cumsum(0)[:-1]]).cuda() for of in lengths]
    indices = [torch.randint(50000, (int(of.sum()),)).cuda() for of in lengths]
    dense, clicked = torch.randn(batch, 13, device="cuda"), torch.rand(batch, device="cuda").round()

    def step():
        F.binary_cross_entropy_with_logits(model(dense, indices, offsets), clicked).backward()
        optimize.step()
        optimize.zero_grad(set_to_none=True)

    return step


def ragged():
    """Segments, counts and places that the data decide: lengths, nonzero, unique, bincount, searchsorted, repeat_interleave."""
    lengths = torch.randint(1, 40, (4096,), device="cuda")
    rows, keys = int(lengths.sum()), torch.randint(3000, (200000,), device="cuda")
    values = torch.randn(rows, 32, device="cuda", requires_grad=True)

    def step():
        segment = torch.repeat_interleave(torch.arange(4096, device="cuda"), lengths, output_size=rows)
        sums = torch.zeros(4096, 32, device="cuda").index_add_(0, segment, values)
        means = torch.segment_reduce(values, "mean", lengths=lengths, axis=0)
        places = (keys % 7 == 0).nonzero().squeeze(1)
        counts = torch.bincount(keys, minlength=3000)
        names, inverse = torch.unique(keys, return_inverse=True)
        edges = torch.searchsorted(names, keys[places])
        loss = (sums * means).sum() + counts[edges].sum() * 0.0 + inverse.float().mean()
        loss.backward()
        values.grad = None
        loss.item()

    return step


FURTHER_JOBS = {job.__name__: job for job in (vision, unet, masked, checkpointed, gated, sorting, spectra, algebra, small_numbers, graphed, side_by_side, accumulated,
                                                   recommender, ragged)}
