"""How clients reach the server: standard streams, TCP, WebSocket."""
