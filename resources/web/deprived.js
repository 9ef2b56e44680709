// Ways to a network or a system dialog that no policy closes; a page cannot restore them.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
  "WebTransport", "WebSocket", "WebSocketStream", "EventSource", "SharedWorker", "BroadcastChannel",
  "Notification", "PaymentRequest", "PresentationRequest", "SpeechRecognition",
  "webkitSpeechRecognition"]) delete window[name];
