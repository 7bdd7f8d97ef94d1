//! A desk that waits: for several prices at once, and for the bytes of a stream.

wit_bindgen::generate!({ world: "desk", path: "wit" });

use example::desk::market::price;
use exports::example::desk::counter::Guest;
use futures::future::join_all;
use wit_bindgen::StreamReader;

struct Desk;

impl Guest for Desk {
    async fn quote(items: Vec<String>) -> Result<u64, String> {
        let prices = join_all(items.into_iter().map(price)).await;
        prices.into_iter().try_fold(0, |sum, price| Ok(sum + price?))
    }

    async fn shout(text: StreamReader<u8>) -> StreamReader<u8> {
        let (mut out, shouted) = wit_stream::new();
        wit_bindgen::spawn_local(async move {
            let mut text = text;
            while let Some(byte) = text.next().await {
                out.write_one(byte.to_ascii_uppercase()).await;
            }
        });
        shouted
    }
}

export!(Desk);
