// An application on Express and ws, with what their developers use of HTTP.
// node app.js PORT MEDIA: MEDIA is the path of a file with sound.
'use strict';
const crypto = require('crypto');
const http = require('http');
const zlib = require('zlib');
const express = require('express');
const { WebSocketServer } = require('ws');

const [port, media] = process.argv.slice(2);
const app = express();
const later = (request, work) => setTimeout(work, Number(request.query.pause || 0));

// A text in the coding that the client prefers, as the package "compression" would send it.
function sendText(request, response, type, text) {
  response.type(type).vary('Accept-Encoding');
  const coding = request.acceptsEncodings('br', 'gzip', 'identity');
  if (coding === 'br' || coding === 'gzip') {
    response.set('Content-Encoding', coding);
    const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
    text = coding === 'br' ? zlib.brotliCompressSync(text, quality) : zlib.gzipSync(text);
  }
  response.end(text);
}

const rows = Array.from({ length: 900 }, (_, i) => ({ id: i, name: `Article ${i}`, price: i * 7 % 101 }));
const table = '<!doctype html><title>Articles</title><table>'
  + rows.map(row => `<tr><td>${row.id}<td>${row.name}<td>${row.price}`).join('\n') + '</table>';

app.get('/page', (request, response) => {
  response.set('Cache-Control', 'private, no-cache');
  sendText(request, response, 'html', table);
});
app.get('/articles', (request, response) => {
  response.set('Cache-Control', 'max-age=60');
  sendText(request, response, 'html', table);
});
app.get('/api', (request, response) => sendText(request, response, 'json', JSON.stringify(rows)));
app.get('/script.js', (request, response) => {
  response.set('Cache-Control', 'max-age=3600');
  sendText(request, response, 'js', rows.map(row => `articles.push(${JSON.stringify(row)});`).join('\n'));
});

app.get('/echo', (request, response) => response.type('text').send(request.originalUrl));
app.all('/method', (request, response) => response.set('X-Method', request.method).send(request.method));
app.get('/host', (request, response) => response.type('text').send(String(request.get('Host'))));
app.get('/etag', (request, response) => response.set('Cache-Control', 'max-age=60').send('validated'));
app.get('/', (request, response) => response.send('home'));
app.options('/', (request, response) => response.sendStatus(204));

app.get('/fields', (request, response) => {
  for (let i = 0; i < Number(request.query.count); i++) {
    response.set(`X-Field-${i}`, 'x'.repeat(Number(request.query.length)));
  }
  response.send(String(request.rawHeaders.length / 2));
});

app.get('/stream', (request, response) => {
  response.type('text');
  response.write('first\n');
  later(request, () => response.end('second\n'));
});
app.get('/events', (request, response) => {
  response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  response.write('data: first\n\n');
  later(request, () => response.end('data: second\n\n'));
});
app.get('/poll', (request, response) => later(request, () => response.send('polled')));
app.get('/processing', (request, response) => {
  response.writeProcessing();
  later(request, () => response.send('hinted'));
});
app.get('/trailers', (request, response) => {
  response.set('Trailer', 'X-Sum');
  response.write('with trailers');
  response.addTrailers({ 'X-Sum': '42' });
  response.end();
});

app.get('/login', (request, response) => {
  response.cookie('user', 'ada').cookie('theme', 'dark', { httpOnly: true }).redirect('/account');
});
app.get('/account', (request, response) => {
  response.set('Cache-Control', 'private').send(String(request.get('Cookie')));
});

app.post('/upload', (request, response) => {
  const sum = crypto.createHash('sha256');
  let length = 0;
  request.on('data', part => { sum.update(part); length += part.length; });
  request.on('end', () => response.type('text').send(`${length} ${sum.digest('hex')}`));
});
app.get('/media.wav', (request, response) => response.sendFile(media));

// The page that runs in the browser, and its report.
const reports = new Map();
const report = id => {
  if (!reports.has(id)) {
    const entry = {};
    entry.arrived = new Promise(resolve => { entry.resolve = resolve; });
    reports.set(id, entry);
  }
  return reports.get(id);
};
app.get('/browser.html', (request, response) => response.sendFile('browser.html', { root: __dirname }));
app.post('/report/:id', express.text({ type: '*/*' }), (request, response) => {
  report(request.params.id).resolve(request.body);
  response.sendStatus(204);
});
app.get('/report/:id', async (request, response) => {
  response.type('text').send(await report(request.params.id).arrived);
});

const server = http.createServer(app);
server.on('checkContinue', (request, response) => {
  if (request.headers['x-refuse']) {
    response.writeHead(417, { 'Content-Length': 0, Connection: 'close' }).end();
  } else {
    response.writeContinue();
    server.emit('request', request, response);
  }
});
const sockets = new WebSocketServer({ server, path: '/socket' });
sockets.on('connection', socket => socket.on('message', (data, binary) => socket.send(data, { binary })));
server.listen(Number(port), '127.0.0.1');
